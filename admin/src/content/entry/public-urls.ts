/** The entry's URLs outside the admin pages: in the API, and its preview. */
import { createQuery, type CreateQueryResult } from '@tanstack/svelte-query';
import { call } from '../../api/client';
import type { EntryAddresses } from '../../api/operations';
import type { EntryForm } from './form.svelte';

export function publicUrlsQuery(form: EntryForm): CreateQueryResult<EntryAddresses> {
  const { uid } = form.type;
  return createQuery(() => ({
    queryKey: ['entry-addresses', uid],
    queryFn: async ({ signal }) => (await call('GET /octavo/entry-addresses/:uid', { path: { uid }, signal })).data,
    staleTime: Infinity,
    enabled: form.may('read'),
  }));
}
