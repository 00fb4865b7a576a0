/** Routes of lists. */
export const listPage = () => import('./ListPage.svelte');

export const listRoutes = {
  '/content-manager/collection-types/:uid': listPage,
  '/content-manager/collection-types/:uid/configurations/list': () => import('./ConfigurePage.svelte'),
} as const;
