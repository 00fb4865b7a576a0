export const calendarRoutes = {
  '/calendar': () => import('./CalendarPage.svelte'),
} as const;
