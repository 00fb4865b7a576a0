/** Queries for lists of entries. */
import { createQuery, keepPreviousData, type CreateQueryResult } from '@tanstack/svelte-query';
import { call } from '../../api/client';
import type { EntryPage, PlannedMoment } from '../../api/operations';
import type { QueryValue } from '../../api/query';
import { queries } from '../../app/queries';
import { filterQuery, type Condition } from './filters';
import { withDays } from './periods';
import type { ListState } from './address.svelte';

export type Entry = Record<string, unknown> & { id: number };
/** The state of a list with its page size and sort order resolved. */
export type ReadyState = ListState & {
  pageSize: number;
  sort: string;
  /** Return the type of the attribute that a condition compares. */
  typeOf: (condition: Condition) => string | undefined;
};

export const listKey = (uid: string): readonly string[] => ['entries', uid];

/** Return the part of the query that selects entries: search, locale and filters. */
export function choiceQuery(state: ReadyState): Record<string, QueryValue> {
  const locale = state.locale === null ? {} : { locale: state.locale };
  return { ...(state.search ? { _q: state.search } : {}), ...locale, ...filterQuery(state.filters, (condition) => withDays(condition, state.typeOf(condition))) };
}

export function entriesQuery(uid: () => string, ready: () => ReadyState | null): CreateQueryResult<EntryPage> {
  return createQuery(() => {
    const state = ready();
    const query = (): Record<string, QueryValue> =>
      state ? { page: state.page, pageSize: state.pageSize, sort: state.sort, ...choiceQuery(state) } : {};
    return {
      queryKey: [...listKey(uid()), query()],
      // Build the query again for each request: periods depend on the date, and a page may stay open overnight.
      queryFn: ({ signal }) => call('GET /content-manager/collection-types/:uid', { path: { uid: uid() }, query: query(), signal }),
      enabled: state !== null,
      // Show the previous list until the next one arrives, but only within a content type.
      placeholderData: (before: EntryPage | undefined, of) => (of?.queryKey[1] === uid() ? keepPreviousData(before) : undefined),
    };
  });
}

/** Query the schedules of a content type's entries, by entry id. */
export function plansQuery(uid: () => string, isWanted: () => boolean): CreateQueryResult<Map<number, PlannedMoment[]>> {
  return createQuery(() => ({
    queryKey: ['plans', uid()],
    queryFn: async ({ signal }) => {
      const { data } = await call('GET /octavo/schedules/:uid', { path: { uid: uid() }, signal });
      const found = new Map<number, PlannedMoment[]>();
      for (const plan of data) found.set(plan.id, [...(found.get(plan.id) ?? []), plan]);
      return found;
    },
    enabled: isWanted(),
  }));
}

/** Load an entry when the user hovers over or focuses its link. */
export function prefetchEntry(uid: string, id: number, locale: string | null): void {
  void queries.prefetchQuery({
    queryKey: ['entry', uid, String(id), locale],
    queryFn: ({ signal }) => call('GET /content-manager/collection-types/:uid/:id', { path: { uid, id }, signal }),
  });
}

/** Reload lists, and mark loaded entries as outdated. */
export async function refresh(uid: string): Promise<void> {
  void queries.invalidateQueries({ queryKey: ['recent'] });
  void queries.invalidateQueries({ queryKey: ['plans', uid] });
  void queries.invalidateQueries({ queryKey: ['entry', uid] });
  await queries.invalidateQueries({ queryKey: listKey(uid) });
}
