/** Preload likely next parts while the browser is idle: dialogs and menus, lists, the form of an entry. */
import { entryPage } from '../content/entry/routes';
import { listPage } from '../content/list/routes';
import { dialogBox, menuList } from '../ui/above';

/** Wait until the browser is idle, or for a moment where it does not support this. */
const idle = (): Promise<unknown> =>
  new Promise((resolve) => ('requestIdleCallback' in window ? requestIdleCallback(resolve, { timeout: 5000 }) : setTimeout(resolve, 1000)));

export async function loadAhead(): Promise<void> {
  for (const load of [listPage, entryPage, () => (dialogBox.want(), menuList.want())]) {
    await idle();
    await Promise.resolve(load()).catch(() => undefined); // the error is reported when it is needed
  }
}
