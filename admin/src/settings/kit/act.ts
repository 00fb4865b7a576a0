/** Something done by a button: what came of it is said in a notice. */
import { queries } from '../../app/queries';
import { toast } from '../../ui/toasts.svelte';
import { wordsOf } from './form.svelte';

/** Do it, say so, and read anew what is kept under keys. Whether it was done. */
export async function act(work: () => Promise<unknown>, done: string, ...keys: string[]): Promise<boolean> {
  try {
    await work();
  } catch (error) {
    toast('failed', wordsOf(error));
    return false;
  }
  toast('done', done);
  await Promise.all(keys.map((key) => queries.invalidateQueries({ queryKey: [key] })));
  return true;
}
