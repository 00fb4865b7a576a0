/** Routes of entries. */
export const entryPage = () => import('./EntryPage.svelte');

export const entryRoutes = {
  '/content-manager/collection-types/:uid/create': entryPage,
  '/content-manager/collection-types/:uid/create/clone/:origin': entryPage,
  '/content-manager/collection-types/:uid/:id': entryPage,
  '/content-manager/single-types/:uid': entryPage,
} as const;
