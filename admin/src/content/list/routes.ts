/** Addresses of lists. */
export const listRoutes = {
  '/content-manager/collection-types/:uid': () => import('./ListPage.svelte'),
} as const;
