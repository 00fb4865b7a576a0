/** Lists that somebody has named, kept in this browser: parts of addresses, and nothing of what they lead to. */
import { session } from '../../app/session.svelte';

export interface SavedView {
  name: string;
  /** As in the address, with its question mark; empty for the list as it begins. */
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

/** Keep the views, the oldest of too many not. */
export function keepViews(uid: string, views: readonly SavedView[]): void {
  localStorage.setItem(key(uid), JSON.stringify(views.slice(-MOST_VIEWS)));
}

function isView(given: unknown): given is SavedView {
  const view = given as Partial<SavedView> | null;
  return typeof view?.name === 'string' && typeof view.search === 'string' && (view.search === '' || view.search.startsWith('?'));
}
