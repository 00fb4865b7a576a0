/** Dialogs and menus, loaded while the browser is idle or when first needed. */
import { later } from './later.svelte';

export const dialogBox = later(() => import('./DialogBox.svelte'));
export const menuList = later(() => import('./MenuList.svelte'));
