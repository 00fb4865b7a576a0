/** The addresses of the pages: those of v4's panel, so that bookmarks and links in mails go on working. */
import { createRouter } from 'sv-router';
import { BASE } from './addresses';
import { builderRoutes } from '../builder/routes';
import { contentRoutes } from '../content/routes';
import { mediaRoutes } from '../media/routes';
import { settingsRoutes } from '../settings/routes';

export const { p, navigate, isActive, route, preload } = createRouter({
  '/': () => import('../home/HomePage.svelte'),
  ...contentRoutes,
  ...mediaRoutes,
  ...builderRoutes,
  ...settingsRoutes,
  '*notfound': () => import('./NotFoundPage.svelte'),
});

/** Go to an address of the pages, as links have it: below BASE. */
export function goTo(address: string, how: { replace?: boolean; scrollToTop?: false } = {}): Promise<unknown> {
  const go = navigate as unknown as (path: string, options?: object) => Promise<unknown>;
  const { pathname, search } = new URL(address, location.origin);
  return go(pathname.slice(BASE.length) || '/', { search, ...how });
}
