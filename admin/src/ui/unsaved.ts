/** Leaving a form that has changes asks first; closing the tab lets the browser ask. */
import { blockNavigation } from 'sv-router';
import { onDestroy } from 'svelte';
import { t } from '../messages/index.svelte';
import { confirmed } from './confirm.svelte';

/**
 * Ask whether to leave changes; `save` is offered where they can be saved. Returns whether to leave: after a save only if it
 * succeeded and nothing was changed while it ran.
 */
export function mayLeaveUnsaved(hasChanges: () => boolean, save?: () => Promise<boolean>): Promise<boolean> {
  const other = save && { action: t('ui.saveAndLeave'), run: async () => (await save()) && !hasChanges() };
  return confirmed({ title: t('ui.unsaved'), hint: t('ui.unsaved.hint'), action: t('ui.leave'), isDangerous: true, other });
}

/** Guard the component that calls this, as long as it is there. `hasChanges` is asked whenever somebody leaves. */
export function guardUnsaved(hasChanges: () => boolean, save?: () => Promise<boolean>): void {
  const stop = blockNavigation({
    beforeUnload: () => !hasChanges(),
    onNavigate: () => !hasChanges() || mayLeaveUnsaved(hasChanges, save),
  });
  onDestroy(stop);
}
