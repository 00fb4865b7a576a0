/** Saved views of lists, as query strings: the user's own ones in this browser, and those that administrators share. */
import { createQuery, type CreateQueryResult } from '@tanstack/svelte-query';
import { call } from '../../api/client';
import type { SharedViewForm, SharedViewsAnswer } from '../../api/operations';
import { queries } from '../../app/queries';
import { session } from '../../app/session.svelte';

export interface SavedView {
  name: string;
  /** The query string with its question mark; empty for the default list. */
  search: string;
}

export const MOST_VIEWS = 30;
const key = (uid: string): string => `octavo.views.${session.user?.id ?? 0}.${uid}`;

export function savedViews(uid: string): SavedView[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(key(uid)) ?? '[]');
    return Array.isArray(found) ? found.filter(isView) : [];
  } catch {
    return [];
  }
}

/** Store the newest `MOST_VIEWS` views in this browser. */
export function keepViews(uid: string, views: readonly SavedView[]): void {
  localStorage.setItem(key(uid), JSON.stringify(views.slice(-MOST_VIEWS)));
}

function isView(given: unknown): given is SavedView {
  const view = given as Partial<SavedView> | null;
  return typeof view?.name === 'string' && typeof view.search === 'string' && (view.search === '' || view.search.startsWith('?'));
}

const sharedKey = (uid: string): readonly string[] => ['shared-views', uid];

/** Query the views shared with the user, and the roles that the user can share with. */
export function sharedViewsQuery(uid: () => string): CreateQueryResult<SharedViewsAnswer> {
  return createQuery(() => ({
    queryKey: sharedKey(uid()),
    queryFn: ({ signal }) => call('GET /octavo/shared-views/:uid', { path: { uid: uid() }, signal }),
  }));
}

/** Share a view, or update the shared view with this id. */
export async function share(uid: string, form: SharedViewForm, id?: number): Promise<void> {
  const answer =
    id === undefined
      ? await call('POST /octavo/shared-views/:uid', { path: { uid }, body: form })
      : await call('PUT /octavo/shared-views/:uid/:id', { path: { uid, id }, body: form });
  queries.setQueryData(sharedKey(uid), answer);
}

export async function unshare(uid: string, id: number): Promise<void> {
  queries.setQueryData(sharedKey(uid), await call('DELETE /octavo/shared-views/:uid/:id', { path: { uid, id } }));
}
