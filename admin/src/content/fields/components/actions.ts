/** Actions on an item in a list of components. */
import ArrowDown from '@lucide/svelte/icons/arrow-down';
import ArrowDownToLine from '@lucide/svelte/icons/arrow-down-to-line';
import ArrowUp from '@lucide/svelte/icons/arrow-up';
import ArrowUpToLine from '@lucide/svelte/icons/arrow-up-to-line';
import BetweenHorizontalEnd from '@lucide/svelte/icons/between-horizontal-end';
import BetweenHorizontalStart from '@lucide/svelte/icons/between-horizontal-start';
import ClipboardCopy from '@lucide/svelte/icons/clipboard-copy';
import ClipboardPaste from '@lucide/svelte/icons/clipboard-paste';
import Copy from '@lucide/svelte/icons/copy';
import LayoutPanelTop from '@lucide/svelte/icons/layout-panel-top';
import Trash2 from '@lucide/svelte/icons/trash-2';
import { goTo } from '../../../app/router';
import { t } from '../../../messages/index.svelte';
import type { MenuItem } from '../../../ui/menu';
import { formViewAddress, mayConfigure } from '../../model/views';

interface Placed {
  index: number;
  count: number;
  isFull: boolean;
  copy: () => void;
  /** Copy the item to the clipboard, for other fields and entries. */
  clip: () => void;
  /** Insert the component from the clipboard below; null if there is none that fits. */
  paste: (() => void) | null;
  /** Add an item at an index. */
  insert: (at: number) => void;
  move: (to: number) => void;
  remove: () => void;
}

export function itemActions({ index, count, isFull, copy, clip, paste, insert, move, remove }: Placed): MenuItem[] {
  return [
    { label: t('field.component.up'), icon: ArrowUp, isDisabled: index === 0, run: () => move(index - 1) },
    { label: t('field.component.down'), icon: ArrowDown, isDisabled: index === count - 1, run: () => move(index + 1) },
    { label: t('field.component.top'), icon: ArrowUpToLine, isDisabled: index === 0, run: () => move(0) },
    { label: t('field.component.bottom'), icon: ArrowDownToLine, isDisabled: index === count - 1, run: () => move(count - 1) },
    { label: t('field.component.before'), icon: BetweenHorizontalStart, isDisabled: isFull, isFirstOfGroup: true, run: () => insert(index) },
    { label: t('field.component.after'), icon: BetweenHorizontalEnd, isDisabled: isFull, run: () => insert(index + 1) },
    { label: t('field.component.copy'), icon: Copy, isDisabled: isFull, run: copy },
    { label: t('field.component.clip'), icon: ClipboardCopy, isFirstOfGroup: true, run: clip },
    ...(paste ? [{ label: t('field.component.pasteBelow'), icon: ClipboardPaste, isDisabled: isFull, run: paste }] : []),
    { label: t('field.component.delete'), icon: Trash2, isDangerous: true, isFirstOfGroup: true, run: remove },
  ];
}

/** Return the menu item that configures the component's form, for users who can do that. */
export function viewActions(uid: string): MenuItem[] {
  if (!mayConfigure('component')) return [];
  return [{ label: t('view.configure'), icon: LayoutPanelTop, run: () => void goTo(formViewAddress(uid, 'component')) }];
}
