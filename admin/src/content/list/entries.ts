/** Reading lists of entries. */
import { createQuery, keepPreviousData, type CreateQueryResult } from '@tanstack/svelte-query';
import { call } from '../../api/client';
import type { EntryPage, PlannedMoment } from '../../api/operations';
import type { QueryValue } from '../../api/query';
import { queries } from '../../app/queries';
import { filterQuery, type Condition } from './filters';
import { withDays } from './periods';
import type { ListState } from './address.svelte';

export type Entry = Record<string, unknown> & { id: number };
/** A list that is ready to be asked for: with the size and order that its view begins with. */
export type ReadyState = ListState & {
  pageSize: number;
  sort: string;
  /** The type of the attribute that a condition compares. */
  typeOf: (condition: Condition) => string | undefined;
};

export const listKey = (uid: string): readonly string[] => ['entries', uid];

/** What of the state chooses entries, whatever their order and page. */
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
      // Periods begin with the present day, also in a page that stays open overnight.
      queryFn: ({ signal }) => call('GET /content-manager/collection-types/:uid', { path: { uid: uid() }, query: query(), signal }),
      enabled: state !== null,
      // The list before stands until the next is there, but never that of another content-type.
      placeholderData: (before: EntryPage | undefined, of) => (of?.queryKey[1] === uid() ? keepPreviousData(before) : undefined),
    };
  });
}

/** What is planned for entries of a content-type, by their ids. */
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

/** Read an entry before it is opened, when a pointer or the keyboard comes to its link. */
export function prefetchEntry(uid: string, id: number, locale: string | null): void {
  void queries.prefetchQuery({
    queryKey: ['entry', uid, String(id), locale],
    queryFn: ({ signal }) => call('GET /content-manager/collection-types/:uid/:id', { path: { uid, id }, signal }),
  });
}

/** Read lists anew, and entries when they are wanted. */
export async function refresh(uid: string): Promise<void> {
  void queries.invalidateQueries({ queryKey: ['recent'] });
  void queries.invalidateQueries({ queryKey: ['plans', uid] });
  void queries.invalidateQueries({ queryKey: ['entry', uid] });
  await queries.invalidateQueries({ queryKey: listKey(uid) });
}
