/** What the service refused, at the places of a draft. */
import { ApiError } from '../api/errors';
import { t } from '../messages/index.svelte';
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
  return error.problems.map(({ path, message }) => {
    const isPart = path[0] === 'components';
    const owner = isPart ? (parts[Number(path[1])] ?? draft) : draft;
    const at = path.indexOf('attributes');
    const old = path[1] === 'renames' || path[1] === 'drop' ? path[2] : undefined;
    const name = at >= 0 ? path[at + 1] : old;
    const found = owner.fields.find((one) => (old === undefined ? one.name === name && !one.isRemoved : one.was?.name === old));
    const member = String((at >= 0 ? path[at + 2] : path.at(-1)) ?? '');
    return { ...(found ? { field: found.key } : {}), member, text: readable(message, path) };
  });
}

/** The last of a path is said by the place already. */
function readable(message: string, path: readonly (string | number)[]): string {
  const dotted = path.join('.');
  return message.startsWith(dotted) ? `${String(path.at(-1) ?? '')}${message.slice(dotted.length)}` : message;
}
