/** Files and folders that move to another folder, chosen in a dialog or dragged. */
import { call } from '../api/client';
import { t } from '../messages/index.svelte';
import { confirmed } from '../ui/confirm.svelte';
import { failed } from '../ui/failed';
import { toast } from '../ui/toasts.svelte';

export interface Moved {
  files: readonly number[];
  folders: readonly number[];
}

/** Whether files do not become public with their new folder, or the user confirms it. */
export async function isSureToPublish(isPrivate: (folder: number | null) => boolean, from: number | null, to: number | null): Promise<boolean> {
  if (!isPrivate(from) || isPrivate(to)) return true;
  return confirmed({ title: t('media.publish.title'), hint: t('media.publish.moved'), action: t('media.move'), isDangerous: true });
}

const MOST_READ = 100;

/** `isSureToPublish` for items of a search, which come from several folders. */
export async function isSureToPublishFound({ files, folders }: Moved, isPrivate: (folder: number | null) => boolean, to: number | null): Promise<boolean> {
  if (isPrivate(to)) return true;
  const places: (number | null)[] = [...folders];
  try {
    for (let start = 0; start < files.length; start += MOST_READ) {
      const query = { filters: { id: { $in: files.slice(start, start + MOST_READ) } }, pageSize: MOST_READ };
      places.push(...(await call('GET /upload/files', { query })).results.map(({ folder }) => folder?.id ?? null));
    }
  } catch (error) {
    failed(error);
    return false;
  }
  return isSureToPublish(isPrivate, places.find(isPrivate) ?? null, to);
}

/** Move files and folders; whether it worked. `undo` is offered in the notification. */
export async function moveItems({ files, folders }: Moved, to: number | null, undo?: () => void): Promise<boolean> {
  try {
    await call('POST /upload/actions/bulk-move', { body: { fileIds: [...files], folderIds: [...folders], destinationFolderId: to } });
  } catch (error) {
    failed(error);
    return false;
  }
  toast('done', t('media.moved', { count: files.length + folders.length }), undo && { label: t('list.undo'), run: undo });
  return true;
}
