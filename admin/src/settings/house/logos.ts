/** The logos of a project: in the side bar, and on the sign-in page. */
import { createQuery, type CreateQueryResult } from '@tanstack/svelte-query';
import { call } from '../../api/client';
import type { Logos } from '../../api/operations';
import { queries } from '../../app/queries';
import { session } from '../../app/session.svelte';

export type LogoName = keyof Logos;

const KEY = ['logos'] as const;
/** The file types that the service accepts. */
export const LOGO_KINDS = 'image/png,image/jpeg,image/svg+xml';

export function logosQuery(isWanted: () => boolean): CreateQueryResult<Logos> {
  return createQuery(() => ({ queryKey: KEY, queryFn: ({ signal }) => call('GET /admin/project-settings', { signal }), enabled: isWanted() }));
}

/** Set or remove a logo. The pages show it at once. */
export async function setLogo(name: LogoName, file: File | null): Promise<void> {
  const body = new FormData();
  body.append(name, file ?? '');
  const stored = await call('POST /admin/project-settings', { body });
  queries.setQueryData(KEY, stored);
  session.logos = { menuLogo: stored.menuLogo?.url ?? null, authLogo: stored.authLogo?.url ?? null };
}
