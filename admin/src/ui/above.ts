/** What floats above pages: loaded while the browser is idle, or when it is wanted before that. */
import { later } from './later.svelte';

export const dialogBox = later(() => import('./DialogBox.svelte'));
export const menuList = later(() => import('./MenuList.svelte'));
