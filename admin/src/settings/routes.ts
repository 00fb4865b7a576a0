/** Addresses of this part, as v4's panel has them. */
export const settingsRoutes = {
  '/me': () => import('./people/ProfilePage.svelte'),
  '/settings': {
    layout: () => import('./SettingsLayout.svelte'),
    '/': () => import('./SettingsIndexPage.svelte'),
    '/internationalization': () => import('./house/LocalesPage.svelte'),
    '/media-library': () => import('./house/MediaSettingsPage.svelte'),
    '/email': () => import('./house/EmailPage.svelte'),
    '/api-tokens': () => import('./tokens/ApiTokensPage.svelte'),
    '/api-tokens/:id': () => import('./tokens/ApiTokenPage.svelte'),
    '/transfer-tokens': () => import('./tokens/TransferTokensPage.svelte'),
    '/transfer-tokens/:id': () => import('./tokens/TransferTokenPage.svelte'),
    '/webhooks': () => import('./webhooks/WebhooksPage.svelte'),
    '/webhooks/:id': () => import('./webhooks/WebhookPage.svelte'),
    '/system': () => import('./house/SystemPage.svelte'),
    '/jobs': () => import('./house/JobsPage.svelte'),
    '/audit': () => import('./house/AuditPage.svelte'),
    '/users': () => import('./people/UsersPage.svelte'),
    '/users/:id': () => import('./people/UserPage.svelte'),
  },
} as const;
