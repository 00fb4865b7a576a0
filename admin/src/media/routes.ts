/** URLs of the library, as in v4's panel. */
export const mediaRoutes = {
  '/plugins/upload': () => import('./LibraryPage.svelte'),
} as const;
