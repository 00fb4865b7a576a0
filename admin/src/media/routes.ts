/** Addresses of this part, as v4's panel has them. */
export const mediaRoutes = {
  '/plugins/upload': () => import('./LibraryPage.svelte'),
} as const;
