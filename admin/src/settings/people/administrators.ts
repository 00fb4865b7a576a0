/** Queries for administrators and their roles. */
import { createQuery, type CreateQueryResult } from '@tanstack/svelte-query';
import { call } from '../../api/client';
import type { AdminRole } from '../../api/operations';
import { BASE } from '../../app/addresses';
import { may } from '../../app/session.svelte';

export const ADMINISTRATORS = 'administrators';
export const ADMIN_ROLES = 'admin-roles';
export const USERS_ADDRESS = `${BASE}/settings/users`;

export function adminRolesQuery(): CreateQueryResult<AdminRole[]> {
  return createQuery(() => ({
    queryKey: [ADMIN_ROLES],
    queryFn: async ({ signal }) => (await call('GET /admin/roles', { signal })).data,
    enabled: may('admin::roles.read'),
  }));
}

/** Return the URL where an invited administrator chooses a password. */
export function invitationAddress(token: string): string {
  return `${location.origin}${BASE}/auth/register?registrationToken=${encodeURIComponent(token)}`;
}
