/** What can be done with an item of a list of components. */
import ArrowDown from '@lucide/svelte/icons/arrow-down';
import ArrowUp from '@lucide/svelte/icons/arrow-up';
import Copy from '@lucide/svelte/icons/copy';
import Trash2 from '@lucide/svelte/icons/trash-2';
import { t } from '../../../messages/index.svelte';
import type { MenuItem } from '../../../ui/menu';

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
