/** Leaving a form that has changes asks first; closing the tab lets the browser ask. */
import { blockNavigation } from 'sv-router';
import { onDestroy } from 'svelte';
import { t } from '../messages/index.svelte';
import { confirmed } from './confirm.svelte';

/** Guard the component that calls this, as long as it is there. `hasChanges` is asked whenever somebody leaves. */
export function guardUnsaved(hasChanges: () => boolean): void {
  const stop = blockNavigation({
    beforeUnload: () => !hasChanges(),
    onNavigate: () =>
      !hasChanges() ||
      confirmed({ title: t('ui.unsaved'), hint: t('ui.unsaved.hint'), action: t('ui.leave'), isDangerous: true }),
  });
  onDestroy(stop);
}
