/** Addresses of this part, as v4's panel has them. */
export const settingsRoutes = {
  '/me': () => import('./people/ProfilePage.svelte'),
  '/settings': {
    layout: () => import('./SettingsLayout.svelte'),
    '/': () => import('./SettingsIndexPage.svelte'),
    '/users': () => import('./people/UsersPage.svelte'),
    '/users/:id': () => import('./people/UserPage.svelte'),
  },
} as const;
