import { ApiError } from '../api/errors';
import { t } from '../messages/index.svelte';
import { toast } from './toasts.svelte';

/** An error in words. */
export function errorText(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  if (error.isOffline) return t('app.offline');
  return error.status === 403 ? t('app.forbidden') : error.message;
}

/** Say that something did not work, where there is no better place for it. */
export function failed(error: unknown): void {
  if (error instanceof DOMException && error.name === 'AbortError') return;
  toast('failed', errorText(error));
}
