/** Queries for entries. Lists prefetch them with the same keys, so that entries open quickly. */
import { call } from '../../api/client';
import { ApiError } from '../../api/errors';
import type { Values } from './form.svelte';

export const entryKey = (uid: string, id: number | string, locale: string | null) => ['entry', uid, String(id), locale] as const;

/** Return the query options of an entry. `locale` is the list's, or null; it is only part of the key. */
export function entryOptions(uid: string, id: number | string, locale: string | null) {
  return {
    queryKey: entryKey(uid, id, locale),
    queryFn: ({ signal }: { signal: AbortSignal }): Promise<Values> =>
      call('GET /content-manager/collection-types/:uid/:id', { path: { uid, id }, signal }),
  };
}

/** Return the query options of a single type's entry; its data is null if it does not exist yet. */
export function singleOptions(uid: string, locale: string | null) {
  return {
    queryKey: entryKey(uid, 'single', locale),
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Values | null> => {
      const query = locale === null ? {} : { plugins: { i18n: { locale } }, locale };
      try {
        return await call('GET /content-manager/single-types/:uid', { path: { uid }, query, signal });
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
  };
}
