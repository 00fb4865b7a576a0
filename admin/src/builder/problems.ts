/** What the service refused, at the places of a draft. */
import { ApiError } from '../api/errors';
import { t, type MessageKey } from '../messages/index.svelte';
import { readableName } from '../messages/names';
import { inOurWords } from '../messages/said';
import { errorText } from '../ui/failed';
import type { DefinitionDraft } from './draft.svelte';

export interface PlacedProblem {
  /** The attribute, by the key of its field. */
  field?: string;
  /** The member of the attribute, or of the definition's own form. */
  member?: string;
  text: string;
}

const CODES: Record<string, () => string> = {
  'component.alreadyExists': () => t('builder.error.componentExists'),
  'component.notFound': () => t('builder.error.componentGone'),
  'contentType.notFound': () => t('builder.error.typeGone'),
  'Name already taken': () => t('builder.error.categoryTaken'),
};

/** An error in words. */
export function wordsOf(error: unknown): string {
  return (error instanceof ApiError && CODES[error.said]?.()) || errorText(error);
}

/** The problems of an error, each at the field that it is about. `parts` are the components that went along. */
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

/** Labels of members in the forms. */
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

/** What the last step of a path is called: an attribute by its name, a member by its label. */
function nameAt(path: readonly (string | number)[]): string {
  const last = path.findLast((step) => !/^\d+$/.test(String(step)));
  const name = String(last ?? '');
  if (path.at(-2) === 'attributes') return name;
  const key = MEMBERS[name];
  return key ? t(key) : readableName(name);
}

/** The message in the language of the pages; it names the member, since the place already says the rest of the path. */
function readable(said: string, path: readonly (string | number)[]): string {
  const text = inOurWords(said, () => nameAt(path));
  const dotted = path.join('.');
  return text.startsWith(dotted) ? `${nameAt(path)}${text.slice(dotted.length)}` : text;
}
