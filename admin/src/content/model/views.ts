/** How the views of a definition look, for everybody: read, and changed. */
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

/** Where it is said how the form of a definition looks. */
export function formViewAddress(uid: string, kind: DefinitionKind): string {
  return `${BASE}/content-manager/${PLACES[kind]}/${uid}/configurations/edit`;
}

/** Where it is said how the list of a content-type looks. */
export function listViewAddress(uid: string): string {
  return `${BASE}/content-manager/${PLACES.collectionType}/${uid}/configurations/list`;
}

/** How the form of a component looks, and of those in it. */
export function componentViewsQuery(uid: () => string, isWanted: () => boolean): CreateQueryResult<ComponentViews> {
  return createQuery(() => ({
    queryKey: ['views', 'component', uid()],
    queryFn: async ({ signal }) => (await call('GET /content-manager/components/:uid/configuration', { path: { uid: uid() }, signal })).data,
    enabled: isWanted(),
  }));
}

/** Write what `change` makes of the view as it is now: what others have changed elsewhere in it stays. */
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

/** What lists say of main fields is read only: it is written with the form's look. */
function written({ metadatas, ...rest }: ViewChanges): ViewChanges {
  return metadatas ? { ...rest, metadatas: Object.fromEntries(Object.entries(metadatas).map(([name, look]) => [name, withoutMain(look)])) } : rest;
}

function withoutMain({ edit, list: { mainField: _, ...list } }: Look): Look {
  return { edit, list };
}
