/** The menu of an entry's row. */
import Copy from '@lucide/svelte/icons/copy';
import CopyPlus from '@lucide/svelte/icons/copy-plus';
import FilePen from '@lucide/svelte/icons/file-pen';
import Send from '@lucide/svelte/icons/send';
import Trash from '@lucide/svelte/icons/trash-2';
import Undo from '@lucide/svelte/icons/undo-2';
import type { ContentTypeSchema } from '../../api/operations';
import { navigate } from '../../app/router';
import { may } from '../../app/session.svelte';
import { t } from '../../messages/index.svelte';
import type { MenuItem } from '../../ui/menu';
import { errorPlaces } from '../../ui/failed';
import { note, toast } from '../../ui/toasts.svelte';
import { hasDrafts } from '../model/definitions';
import { apiAddress, publish, remove, unpublish, type ListedType } from './actions';
import type { Entry } from './entries';

const RIGHT = 'plugin::content-manager.explorer';

/** Return the menu items of an entry's row. `gone` is called after the entry was deleted. */
export function rowActions(type: ContentTypeSchema, entry: Entry, list: ListedType, gone: () => void): MenuItem[] {
  const { uid, locale } = list;
  const search = locale === null ? '' : `?plugins[i18n][locale]=${encodeURIComponent(locale)}`;
  const go = (rest: string): void => void navigate(`/content-manager/collection-types/${uid}/${rest}` as '/', { search });
  const items: MenuItem[] = [{ label: t('list.open'), icon: FilePen, run: () => go(String(entry.id)) }];
  if (may(`${RIGHT}.create`, uid)) items.push({ label: t('list.duplicate'), icon: CopyPlus, run: () => go(`create/clone/${entry.id}`) });
  if (hasDrafts(type) && may(`${RIGHT}.publish`, uid)) {
    if (entry.publishedAt) items.push({ label: t('list.unpublish'), icon: Undo, run: () => void unpublish(uid, [entry]) });
    else items.push({ label: t('list.publish'), icon: Send, run: () => void publish(list, [entry]) });
  }
  items.push({ label: t('list.copyAddress'), icon: Copy, run: () => void copyAddress(uid, entry.id) });
  if (may(`${RIGHT}.delete`, uid)) {
    const run = async (): Promise<void> => void ((await remove(uid, [entry.id], list.nameOf(entry))) && gone());
    items.push({ label: t('ui.delete'), icon: Trash, isDangerous: true, isFirstOfGroup: true, run: () => void run() });
  }
  return items;
}

/** Copy the entry's API URL. Browsers have a clipboard only in secure contexts, so elsewhere the URL is shown. */
async function copyAddress(uid: string, id: number): Promise<void> {
  try {
    const address = await apiAddress(uid, id);
    if (address === null) return void toast('failed', t('list.noAddress'));
    await navigator.clipboard?.writeText(address);
    note(navigator.clipboard ? t('list.copied', { address }) : address);
  } catch (error) {
    toast('failed', errorPlaces(error));
  }
}
