/** The addresses of the pages: those of v4's panel, so that bookmarks and links in mails go on working. */
import { createRouter } from 'sv-router';
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
