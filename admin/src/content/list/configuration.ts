/** Changing how the views of a content-type look, for everybody. */
import { call } from '../../api/client';
import type { Look, View } from '../../api/operations';
import { queries } from '../../app/queries';

export const MAY_CONFIGURE = 'plugin::content-manager.collection-types.configure-view';

type Changes = Partial<Pick<View, 'settings' | 'metadatas' | 'layouts'>>;

/** Write what is given. What lists say of main fields is read only: it is written with the form's look. */
export async function changeView(uid: string, { settings, metadatas, layouts }: Changes): Promise<void> {
  const body = { settings, layouts, metadatas: metadatas && Object.fromEntries(Object.entries(metadatas).map(([name, look]) => [name, written(look)])) };
  await call('PUT /content-manager/content-types/:uid/configuration', { path: { uid }, body });
  await queries.invalidateQueries({ queryKey: ['views', uid] });
}

function written({ edit, list: { mainField: _, ...list } }: Look): Look {
  return { edit, list };
}
