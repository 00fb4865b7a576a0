/** Handle parts of the pages that cannot be loaded: the network is down, or the service was updated. */
import { t } from '../messages/index.svelte';
import { toast, toasts } from '../ui/toasts.svelte';

export function tellMissingParts(): void {
  window.addEventListener('vite:preloadError', () => {
    const text = t('app.missingPart');
    if (!toasts.some((one) => one.text === text)) toast('failed', text, { label: t('app.reload'), run: () => location.reload() });
  });
}
