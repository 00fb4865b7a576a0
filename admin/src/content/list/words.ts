import { ApiError } from '../../api/errors';
import { t } from '../../messages/index.svelte';

/** What went wrong, in words, with the places that the service names. */
export function problemOf(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  if (error.isOffline) return t('app.offline');
  if (error.status === 403) return t('app.forbidden');
  const places = error.problems.map(({ path, message }) => (path.length ? `${path.join('.')}: ${message}` : message));
  return [...new Set([error.message, ...places])].join(' · ');
}
