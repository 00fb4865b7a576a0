/** The addresses of the pages: those of v4's panel, so that bookmarks and links in mails go on working. */
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

/** Where one is, below BASE: the library tells the address of the first page with BASE in it. */
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

// A click for a new tab or window is the browser's, but the library would take it: this listener comes before its own.
window.addEventListener('click', (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button) event.stopImmediatePropagation();
});

let isStepping = false;
// Before the library's own listener too: it asks whether the page may be left.
window.addEventListener('popstate', () => {
  isStepping = true;
  setTimeout(() => (isStepping = false));
});
/** Whether the browser is already at the next address: by its own buttons, or another anchor of the page. */
export const hasStepped = (): boolean => isStepping;

/** Go to an address of the pages, as links have it: below BASE. */
export function goTo(address: string, how: { replace?: boolean; scrollToTop?: false; state?: unknown } = {}): Promise<unknown> {
  const go = navigate as unknown as (path: string, options?: object) => Promise<unknown>;
  const { pathname, search, hash } = new URL(address, location.origin);
  return go(pathname.slice(BASE.length) || '/', { search, hash, ...how });
}

/** What was given as `state` with the place that the browser's history is at, which may not be shown yet. */
export function stateOfHistory(): unknown {
  return (history.state as { _userState?: unknown } | null)?._userState ?? null; // as the router keeps it
}
