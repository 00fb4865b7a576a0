/** The address of an entry's form, as v4's panel writes it: `/create`, `/create/clone/5`, `/5?plugins[i18n][locale]=fr`. */
import { BASE, contentAddress } from '../../app/addresses';

const LOCALE = 'plugins[i18n][locale]';
const RELATED = 'plugins[i18n][relatedEntityId]';

export interface EntryAddress {
  uid: string;
  /** Null for a new entry, and for single types. */
  id: number | null;
  /** Which entry is copied. */
  origin: number | null;
  /** Null where the address says none. */
  locale: string | null;
  /** The entry that a new one is a translation of. */
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

/** Where the form of a single type is. */
export function singleAddress(uid: string, locale: string | null): string {
  return `${contentAddress(uid, 'singleType')}${locale === null ? '' : `?${new URLSearchParams({ [LOCALE]: locale })}`}`;
}

/** Where the form of an entry is; of a new one where there is no id. `related` is the entry that it translates. */
export function formAddress(uid: string, id: number | string | null, locale: string | null = null, related: number | null = null): string {
  const query = new URLSearchParams();
  if (related !== null) query.set(RELATED, String(related));
  if (locale !== null) query.set(LOCALE, locale);
  const asked = query.size ? `?${query}` : '';
  return `${BASE}/content-manager/collection-types/${uid}/${id ?? 'create'}${asked}`;
}
