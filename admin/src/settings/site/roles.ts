/** The roles of the site's users, with their permissions as a list of actions. */
import { createQuery, type CreateQueryResult } from '@tanstack/svelte-query';
import { call } from '../../api/client';
import type { SiteControllers, SiteRole } from '../../api/operations';
import type { ActionGroup } from '../kit/actions';
import { groupsOf } from '../kit/actions';

export const SITE_ROLES = 'site-roles';
export type SiteActions = Record<string, SiteControllers>;

/** Roles that every project has. */
export const LASTING: readonly string[] = ['public', 'authenticated'];

export function siteRolesQuery(): CreateQueryResult<SiteRole[]> {
  return createQuery(() => ({
    queryKey: [SITE_ROLES],
    queryFn: async ({ signal }) => (await call('GET /users-permissions/roles', { signal })).roles,
  }));
}

export function groupsOfActions(actions: SiteActions): ActionGroup[] {
  const names = Object.entries(actions).map(([owner, { controllers }]) => [
    owner,
    { controllers: Object.fromEntries(Object.entries(controllers).map(([name, found]) => [name, Object.keys(found)])) },
  ]);
  return groupsOf(Object.fromEntries(names));
}

export function grantedOf(actions: SiteActions): string[] {
  const found = Object.entries(actions).flatMap(([owner, { controllers }]) =>
    Object.entries(controllers).flatMap(([name, all]) =>
      Object.entries(all).filter(([, state]) => state.enabled).map(([action]) => `${owner}.${name}.${action}`),
    ),
  );
  return found.sort();
}

/** Return all actions, with the granted ones enabled. */
export function withGranted(actions: SiteActions, granted: readonly string[]): SiteActions {
  const set = new Set(granted);
  const states = Object.entries(actions).map(([owner, { controllers }]) => {
    const told = Object.entries(controllers).map(([name, all]) => [
      name,
      Object.fromEntries(Object.entries(all).map(([action, state]) => [action, { ...state, enabled: set.has(`${owner}.${name}.${action}`) }])),
    ]);
    return [owner, { controllers: Object.fromEntries(told) }];
  });
  return Object.fromEntries(states);
}
