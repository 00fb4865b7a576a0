/** Addresses of lists. */
export const listRoutes = {
  '/content-manager/collection-types/:uid': () => import('./ListPage.svelte'),
  '/content-manager/collection-types/:uid/configurations/list': () => import('./ConfigurePage.svelte'),
} as const;
