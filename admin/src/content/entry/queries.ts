/** Reading entries. Lists prefetch by the same keys, so that an entry is there when it is opened. */
import { call } from '../../api/client';
import { ApiError } from '../../api/errors';
import type { Values } from './form.svelte';

export const entryKey = (uid: string, id: number | string, locale: string | null) => ['entry', uid, String(id), locale] as const;

/** One entry, for `createQuery` and for `queries.prefetchQuery`. `locale` is that of the list; null where there is none. */
export function entryOptions(uid: string, id: number | string, locale: string | null) {
  return {
    queryKey: entryKey(uid, id, locale),
    queryFn: ({ signal }: { signal: AbortSignal }): Promise<Values> =>
      call('GET /content-manager/collection-types/:uid/:id', { path: { uid, id }, signal }),
  };
}

/** The entry of a single type; null where there is none yet. */
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
