/** Run the action of a button and show the result as a notification. */
import { queries } from '../../app/queries';
import { t } from '../../messages/index.svelte';
import { confirmed } from '../../ui/confirm.svelte';
import { failed } from '../../ui/failed';
import { toast } from '../../ui/toasts.svelte';

/** Run an action, show the result, and reload cached data with these keys. Returns whether it succeeded. */
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
  /** A word to type first, for deletions that lose much. */
  word?: string;
}

/** Delete something after confirmation. Returns whether it was deleted. */
export async function removed({ name, hint, word }: Removal, work: () => Promise<unknown>, ...keys: string[]): Promise<boolean> {
  const title = t('settings.delete.title', { name });
  if (!(await confirmed({ title, hint, word, action: t('ui.delete'), isDangerous: true }))) return false;
  return act(work, t('settings.deleted'), ...keys);
}
