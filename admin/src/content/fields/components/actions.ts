/** What can be done with an item of a list of components. */
import ArrowDown from '@lucide/svelte/icons/arrow-down';
import ArrowUp from '@lucide/svelte/icons/arrow-up';
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
  copy?: () => void;
  move: (to: number) => void;
  remove: () => void;
}

export function itemActions({ index, count, isFull, copy, move, remove }: Placed): MenuItem[] {
  return [
    { label: t('field.component.up'), icon: ArrowUp, isDisabled: index === 0, run: () => move(index - 1) },
    { label: t('field.component.down'), icon: ArrowDown, isDisabled: index === count - 1, run: () => move(index + 1) },
    ...(copy ? [{ label: t('field.component.copy'), icon: Copy, isDisabled: isFull, run: copy }] : []),
    { label: t('field.component.delete'), icon: Trash2, isDangerous: true, isFirstOfGroup: true, run: remove },
  ];
}

/** To how components of a kind look, for who may say so. */
export function viewActions(uid: string): MenuItem[] {
  if (!mayConfigure('component')) return [];
  return [{ label: t('view.configure'), icon: LayoutPanelTop, run: () => void goTo(formViewAddress(uid, 'component')) }];
}
