/** Send the permissions of a role, and assign errors to them. */
import { call } from '../../api/client';
import { ApiError, type Problem } from '../../api/errors';
import { writeGrants, type Grants } from './grants';

/** Set the permissions of a role. Errors get the key of the permission (`grants`) in place of its index in the body. */
export async function sendGrants(id: number, grants: Grants): Promise<void> {
  try {
    await call('PUT /admin/roles/:id/permissions', { path: { id }, body: { permissions: writeGrants(grants) } });
  } catch (error) {
    if (!(error instanceof ApiError) || !error.problems.length) throw error;
    const keys = Object.keys(grants);
    const placed = ({ path: [top, index], ...problem }: Problem): Problem => ({ ...problem, path: top === 'permissions' && index !== undefined ? ['grants', keys[Number(index)] ?? ''] : [] });
    throw new ApiError(error.status, error.said, error.name, error.problems.map(placed), error.details);
  }
}

const PLACE = 'grants.';

/** Return the errors of permissions that are still granted, by their keys. */
export function refusedOf(problems: Readonly<Record<string, string>>, grants: Grants): Record<string, string> {
  const found = Object.entries(problems).filter(([path]) => path.startsWith(PLACE));
  return Object.fromEntries(found.map(([path, problem]) => [path.slice(PLACE.length), problem] as const).filter(([key]) => key in grants));
}
