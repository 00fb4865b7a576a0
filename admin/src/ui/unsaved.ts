/** Ask before a form with changes is left. When the tab is closed, the browser asks. */
import { blockNavigation } from 'sv-router';
import { onDestroy } from 'svelte';
import { t } from '../messages/index.svelte';
import { confirmed } from './confirm.svelte';

/**
 * Ask whether to leave changes; with `save`, offer to save them. Returns whether to leave: after a save, only if it
 * succeeded and nothing was changed meanwhile.
 */
export function mayLeaveUnsaved(hasChanges: () => boolean, save?: () => Promise<boolean>): Promise<boolean> {
  const other = save && { action: t('ui.saveAndLeave'), run: async () => (await save()) && !hasChanges() };
  return confirmed({ title: t('ui.unsaved'), hint: t('ui.unsaved.hint'), action: t('ui.leave'), isDangerous: true, other });
}

/** Guard the calling component while it is mounted. `hasChanges` is called before leaving. */
export function guardUnsaved(hasChanges: () => boolean, save?: () => Promise<boolean>): void {
  const stop = blockNavigation({
    beforeUnload: () => !hasChanges(),
    onNavigate: () => !hasChanges() || mayLeaveUnsaved(hasChanges, save),
  });
  onDestroy(stop);
}
