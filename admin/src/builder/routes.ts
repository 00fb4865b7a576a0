/** URLs of the builder, as in v4's panel; those of new definitions and the diagram are ours. */
const BUILDER = '/plugins/content-type-builder';
const definitionPage = () => import('./DefinitionPage.svelte');

export const builderRoutes = {
  [BUILDER as '/plugins/content-type-builder']: () => import('./OverviewPage.svelte'),
  [`${BUILDER}/diagram` as '/plugins/content-type-builder/diagram']: () => import('./diagram/DiagramPage.svelte'),
  [`${BUILDER}/create/:kind` as '/plugins/content-type-builder/create/:kind']: definitionPage,
  [`${BUILDER}/content-types/:uid` as '/plugins/content-type-builder/content-types/:uid']: definitionPage,
  [`${BUILDER}/component-categories/:category/:uid` as '/plugins/content-type-builder/component-categories/:category/:uid']:
    definitionPage,
} as const;
