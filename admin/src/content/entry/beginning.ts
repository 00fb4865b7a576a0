/** Initial values of an entry's form. */
import { call } from '../../api/client';
import type { EntryAddress } from './address';
import { defaultsOf } from './defaults';
import { EntryForm, type FormSetting, type Values } from './form.svelte';

/** Octavo sets these for every entry, so they are not copied. */
const STAMPED = new Set(['id', 'createdAt', 'updatedAt', 'publishedAt', 'createdBy', 'updatedBy', 'localizations']);

/** The values that a new localization shares with the others, and the existing localizations. */
export interface Shared {
  nonLocalizedFields: Values;
  localizations: Values[];
}

export function sharedOptions(address: EntryAddress, locale: string | null) {
  return {
    queryKey: ['new localization', address.uid, address.related, locale],
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Shared> => {
      const body = { model: address.uid, id: address.related, locale };
      return (await call('POST /i18n/content-manager/actions/get-non-localized-fields', { body, signal })) as Shared;
    },
    staleTime: 0,
  };
}

/** Return the form of an entry, of a copy, or of a new entry with its shared and `given` values. */
export function beginForm(setting: FormSetting, entry: Values | null, shared: Shared | null, given: Values = {}): EntryForm {
  const { attributes } = setting.type;
  if (entry && setting.id !== null) return new EntryForm(setting, entry);
  if (entry) {
    const copied = Object.keys(attributes).filter((name) => name in entry && !STAMPED.has(name));
    const form = new EntryForm(setting, Object.fromEntries(copied.map((name) => [name, entry[name]])));
    for (const name of copied) if (form.isLeftOut(name)) form.values[name] = form.original[name] = undefined;
    return form;
  }
  const form = new EntryForm(setting, {}, { ...defaultsOf(attributes, setting.definitions), ...shared?.nonLocalizedFields, ...given });
  form.siblings = shared?.localizations ?? [];
  return form;
}
