/** Values of custom fields, in the format of their plugins. */

/** Unicode territories that are not countries. */
const NO_COUNTRIES = new Set(['AC', 'CP', 'DG', 'EA', 'EU', 'EZ', 'IC', 'QO', 'TA', 'UN', 'XA', 'XB', 'ZZ']);
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

export interface Listed {
  value: string;
  label: string;
}

/** Return all countries by ISO code, named in a language and sorted by name. */
export function countries(language: string): Listed[] {
  const names = new Intl.DisplayNames([language, 'en'], { type: 'region', fallback: 'none' });
  return LETTERS.flatMap((first) => LETTERS.map((second) => first + second))
    .filter((value) => !NO_COUNTRIES.has(value))
    .map((value) => ({ value, label: names.of(value) ?? '' }))
    .filter(({ label }) => label !== '')
    .sort((one, other) => one.label.localeCompare(other.label, language));
}

export function timeZones(): Listed[] {
  return Intl.supportedValuesOf('timeZone').map((value) => ({ value, label: value.replaceAll('_', ' ') }));
}

/** Return a definition's options, which are texts or `Label:value`. */
export function optionsOf(options: unknown): Listed[] {
  if (!Array.isArray(options)) return [];
  const texts = options.filter((option): option is string => typeof option === 'string' && option.trim() !== '');
  return texts.map((text) => {
    const [label = text, ...value] = text.split(':');
    return { label, value: value.length > 0 ? value.join(':') : label };
  });
}

/** Return the first option with each value. */
export function uniqueOptions(options: Listed[]): Listed[] {
  const values = new Set<string>();
  return options.filter(({ value }) => !values.has(value) && values.add(value));
}

/** Return a list of texts; undefined for other values, which are edited as JSON. */
export function textsOf(value: unknown): string[] | undefined {
  const list: unknown = value ?? [];
  return Array.isArray(list) && list.every((item) => typeof item === 'string') ? (list as string[]) : undefined;
}

/** Return the names in `[{ name }]`; undefined for other values, which are edited as JSON. */
export function namesOf(value: unknown): string[] | undefined {
  const list: unknown = value ?? [];
  if (!Array.isArray(list)) return undefined;
  const names = list.map((item: unknown) => {
    const members = typeof item === 'object' && item !== null ? (item as Record<string, unknown>) : {};
    return Object.keys(members).length === 1 && typeof members.name === 'string' ? members.name : undefined;
  });
  return names.every((name) => name !== undefined) ? names : undefined;
}
