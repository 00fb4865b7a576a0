/** What is wanted soon is loaded while nothing else is to be done: what floats above pages, lists, the form of an entry. */
import { entryPage } from '../content/entry/routes';
import { listPage } from '../content/list/routes';
import { dialogBox, menuList } from '../ui/above';

/** Idle time, or some time later where the browser does not tell of it. */
const idle = (): Promise<unknown> =>
  new Promise((resolve) => ('requestIdleCallback' in window ? requestIdleCallback(resolve, { timeout: 5000 }) : setTimeout(resolve, 1000)));

export async function loadAhead(): Promise<void> {
  for (const load of [listPage, entryPage, () => (dialogBox.want(), menuList.want())]) {
    await idle();
    await Promise.resolve(load()).catch(() => undefined); // it is told when it is wanted
  }
}
