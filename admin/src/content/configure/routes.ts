/** Routes of form configuration. Those of list configuration are in `list/routes`. */
const viewPage = () => import('./ViewPage.svelte');

export const configureRoutes = {
  '/content-manager/collection-types/:uid/configurations/edit': viewPage,
  '/content-manager/single-types/:uid/configurations/edit': viewPage,
  '/content-manager/components/:uid/configurations/edit': viewPage,
} as const;
