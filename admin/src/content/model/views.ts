/** Reading and changing the views of content types and components, which are the same for all users. */
import { createQuery, type CreateQueryResult } from '@tanstack/svelte-query';
import { call } from '../../api/client';
import type { ComponentViews, Look, View, ViewChanges } from '../../api/operations';
import { BASE } from '../../app/addresses';
import { queries } from '../../app/queries';
import { may } from '../../app/session.svelte';

export type DefinitionKind = 'collectionType' | 'singleType' | 'component';

const PLACES = { collectionType: 'collection-types', singleType: 'single-types', component: 'components' } as const;
const RIGHTS = { collectionType: 'collection-types.configure-view', singleType: 'single-types.configure-view', component: 'components.configure-layout' } as const;

export function mayConfigure(kind: DefinitionKind): boolean {
  return may(`plugin::content-manager.${RIGHTS[kind]}`);
}

/** Return the URL of a form's configuration. */
export function formViewAddress(uid: string, kind: DefinitionKind): string {
  return `${BASE}/content-manager/${PLACES[kind]}/${uid}/configurations/edit`;
}

/** Return the URL of a list's configuration. */
export function listViewAddress(uid: string): string {
  return `${BASE}/content-manager/${PLACES.collectionType}/${uid}/configurations/list`;
}

/** Query the view of a component's form, and the views of components in it. */
export function componentViewsQuery(uid: () => string, isWanted: () => boolean): CreateQueryResult<ComponentViews> {
  return createQuery(() => ({
    queryKey: ['views', 'component', uid()],
    queryFn: async ({ signal }) => (await call('GET /content-manager/components/:uid/configuration', { path: { uid: uid() }, signal })).data,
    enabled: isWanted(),
  }));
}

/** Change the current view with `change`, so that other changes made meanwhile are kept. */
export async function changeView(uid: string, kind: DefinitionKind, change: (present: View) => ViewChanges): Promise<void> {
  const path = { uid };
  if (kind === 'component') {
    const present = (await call('GET /content-manager/components/:uid/configuration', { path })).data.component;
    await call('PUT /content-manager/components/:uid/configuration', { path, body: written(change(present)) });
    return queries.invalidateQueries({ queryKey: ['views'] });
  }
  const present = (await call('GET /content-manager/content-types/:uid/configuration', { path })).data.contentType;
  await call('PUT /content-manager/content-types/:uid/configuration', { path, body: written(change(present)) });
  await queries.invalidateQueries({ queryKey: ['views', uid] });
}

/** Remove the main fields of lists, which are read-only: they follow those of the form. */
function written({ metadatas, ...rest }: ViewChanges): ViewChanges {
  return metadatas ? { ...rest, metadatas: Object.fromEntries(Object.entries(metadatas).map(([name, look]) => [name, withoutMain(look)])) } : rest;
}

function withoutMain({ edit, list: { mainField: _, ...list } }: Look): Look {
  return { edit, list };
}
