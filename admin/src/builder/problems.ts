/** Assign errors of the service to the fields of a draft. */
import { ApiError } from '../api/errors';
import { t, type MessageKey } from '../messages/index.svelte';
import { readableName } from '../messages/names';
import { inOurWords } from '../messages/said';
import { errorText } from '../ui/failed';
import type { DefinitionDraft } from './draft.svelte';

export interface PlacedProblem {
  /** The key of the attribute's field. */
  field?: string;
  /** The option of the attribute, or the property of the definition. */
  member?: string;
  text: string;
}

const CODES: Record<string, () => string> = {
  'component.alreadyExists': () => t('builder.error.componentExists'),
  'component.notFound': () => t('builder.error.componentGone'),
  'contentType.notFound': () => t('builder.error.typeGone'),
  'Name already taken': () => t('builder.error.categoryTaken'),
};

/** Return the message of an error. */
export function wordsOf(error: unknown): string {
  return (error instanceof ApiError && CODES[error.said]?.()) || errorText(error);
}

/** Return the problems of an error, each with its field. `parts` are the components of the same request. */
export function placed(error: unknown, draft: DefinitionDraft, parts: readonly DefinitionDraft[]): PlacedProblem[] {
  if (!(error instanceof ApiError) || !error.problems.length) return [{ text: wordsOf(error) }];
  return error.problems.map(({ path, said }) => {
    const isPart = path[0] === 'components';
    const owner = isPart ? (parts[Number(path[1])] ?? draft) : draft;
    const at = path.indexOf('attributes');
    const old = path[1] === 'renames' || path[1] === 'drop' ? path[2] : undefined;
    const name = at >= 0 ? path[at + 1] : old;
    const found = owner.fields.find((one) => (old === undefined ? one.name === name && !one.isRemoved : one.was?.name === old));
    const member = String((at >= 0 ? path[at + 2] : path.at(-1)) ?? '');
    return { ...(found ? { field: found.key } : {}), member, text: readable(said, path) };
  });
}

/** Labels of options and properties in the forms. */
const MEMBERS: Readonly<Record<string, MessageKey>> = {
  allowedTypes: 'builder.media.allowed',
  category: 'builder.identity.category',
  component: 'builder.component.which',
  components: 'builder.zone.components',
  default: 'builder.option.default',
  description: 'builder.identity.description',
  displayName: 'builder.identity.displayName',
  enum: 'builder.enum.values',
  enumName: 'builder.option.enumName',
  icon: 'builder.identity.icon',
  kind: 'builder.identity.kind',
  max: 'builder.option.max',
  maxLength: 'builder.option.maxLength',
  min: 'builder.option.min',
  minLength: 'builder.option.minLength',
  pluralName: 'builder.identity.plural',
  regex: 'builder.option.regex',
  relation: 'builder.relation.kind',
  singularName: 'builder.identity.singular',
  target: 'builder.relation.target',
  targetAttribute: 'builder.relation.other.self',
  targetField: 'builder.uid.target',
  type: 'builder.typeOf',
};

/** Return the name of a path's last step: an attribute by its name, an option by its label. */
function nameAt(path: readonly (string | number)[]): string {
  const last = path.findLast((step) => !/^\d+$/.test(String(step)));
  const name = String(last ?? '');
  if (path.at(-2) === 'attributes') return name;
  const key = MEMBERS[name];
  return key ? t(key) : readableName(name);
}

/** Return the translated message. It names the option, because its position shows the rest of the path. */
function readable(said: string, path: readonly (string | number)[]): string {
  const text = inOurWords(said, () => nameAt(path));
  const dotted = path.join('.');
  return text.startsWith(dotted) ? `${nameAt(path)}${text.slice(dotted.length)}` : text;
}
