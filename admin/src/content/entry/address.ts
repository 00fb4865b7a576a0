/** URLs of entry forms, as in v4's panel: `/create`, `/create/clone/5`, `/5?plugins[i18n][locale]=fr`. */
import { BASE, contentAddress } from '../../app/addresses';

const LOCALE = 'plugins[i18n][locale]';
const RELATED = 'plugins[i18n][relatedEntityId]';

export interface EntryAddress {
  uid: string;
  /** Null for a new entry and for single types. */
  id: number | null;
  /** The entry to copy. */
  origin: number | null;
  /** Null if the URL specifies none. */
  locale: string | null;
  /** The entry that a new one translates. */
  related: number | null;
}

export function readAddress(params: Readonly<Record<string, string | undefined>>, search: Readonly<Record<string, unknown>>): EntryAddress {
  const text = (name: string): string | null => (search[name] === undefined ? null : String(search[name]));
  return {
    uid: params.uid ?? '',
    id: readId(params.id),
    origin: readId(params.origin),
    locale: text(LOCALE),
    related: readId(text(RELATED)),
  };
}

function readId(text: string | null | undefined): number | null {
  const id = Number(text ?? Number.NaN);
  return Number.isSafeInteger(id) && id > 0 ? id : null;
}

/** Return the URL of a single type's form. */
export function singleAddress(uid: string, locale: string | null): string {
  return `${contentAddress(uid, 'singleType')}${locale === null ? '' : `?${new URLSearchParams({ [LOCALE]: locale })}`}`;
}

/**
 * Return the URL of an entry's form, or of a new entry's form if `id` is null. `related` is the entry that the new one
 * translates.
 */
export function formAddress(uid: string, id: number | string | null, locale: string | null = null, related: number | null = null): string {
  const query = new URLSearchParams();
  if (related !== null) query.set(RELATED, String(related));
  if (locale !== null) query.set(LOCALE, locale);
  const asked = query.size ? `?${query}` : '';
  return `${BASE}/content-manager/collection-types/${uid}/${id ?? 'create'}${asked}`;
}
