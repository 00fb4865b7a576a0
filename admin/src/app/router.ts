/** The URLs of the pages. They are those of v4's panel, so that bookmarks and links in mails keep working. */
import { createRouter } from 'sv-router';
import { BASE } from './addresses';
import { builderRoutes } from '../builder/routes';
import { calendarRoutes } from '../calendar/routes';
import { contentRoutes } from '../content/routes';
import { mediaRoutes } from '../media/routes';
import { settingsRoutes } from '../settings/routes';

const router = createRouter({
  '/': () => import('../home/HomePage.svelte'),
  ...contentRoutes,
  ...calendarRoutes,
  ...mediaRoutes,
  ...builderRoutes,
  ...settingsRoutes,
  '*notfound': () => import('./NotFoundPage.svelte'),
});
export const { navigate, preload } = router;

/** The current path below BASE: for the first page, the library's path includes BASE. */
export const route = {
  get pathname(): string {
    const { pathname } = router.route;
    return pathname === BASE || pathname.startsWith(`${BASE}/`) ? pathname.slice(BASE.length) || '/' : pathname;
  },
  get search() {
    return router.route.search;
  },
  get params() {
    return router.route.params;
  },
  get state(): unknown {
    return router.route.state;
  },
};

// Leave clicks that open a new tab or window to the browser: the library would handle them, so this listener runs
// first.
window.addEventListener('click', (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button) event.stopImmediatePropagation();
});

let isStepping = false;
// Runs before the library's listener too, to ask whether the page may be left.
window.addEventListener('popstate', () => {
  isStepping = true;
  setTimeout(() => (isStepping = false));
});
/** Return whether the browser has already changed the URL: by its own buttons, or by an anchor of the page. */
export const hasStepped = (): boolean => isStepping;

/** Go to a path below BASE, as in links. */
export function goTo(address: string, how: { replace?: boolean; scrollToTop?: false; state?: unknown } = {}): Promise<unknown> {
  const go = navigate as unknown as (path: string, options?: object) => Promise<unknown>;
  const { pathname, search, hash } = new URL(address, location.origin);
  return go(pathname.slice(BASE.length) || '/', { search, hash, ...how });
}

/** Return the `state` of the current history entry, which may not be shown yet. */
export function stateOfHistory(): unknown {
  return (history.state as { _userState?: unknown } | null)?._userState ?? null; // the key that the router uses
}
