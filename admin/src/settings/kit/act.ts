/** Something done by a button: what came of it is said in a notice. */
import { queries } from '../../app/queries';
import { t } from '../../messages/index.svelte';
import { confirmed } from '../../ui/confirm.svelte';
import { failed } from '../../ui/failed';
import { toast } from '../../ui/toasts.svelte';

/** Do it, say so, and read anew what is kept under keys. Whether it was done. */
export async function act(work: () => Promise<unknown>, done: string, ...keys: string[]): Promise<boolean> {
  try {
    await work();
  } catch (error) {
    failed(error);
    return false;
  }
  toast('done', done);
  await Promise.all(keys.map((key) => queries.invalidateQueries({ queryKey: [key] })));
  return true;
}

interface Removal {
  name: string;
  hint: string;
  /** To be typed first, where much would be lost. */
  word?: string;
}

/** Ask whether something is to be deleted, and do it. Whether it was done. */
export async function removed({ name, hint, word }: Removal, work: () => Promise<unknown>, ...keys: string[]): Promise<boolean> {
  const title = t('settings.delete.title', { name });
  if (!(await confirmed({ title, hint, word, action: t('ui.delete'), isDangerous: true }))) return false;
  return act(work, t('settings.deleted'), ...keys);
}
