import { ApiError, type Problem } from '../api/errors';
import { t } from '../messages/index.svelte';
import { readablePath } from '../messages/names';
import { toast } from './toasts.svelte';

/** Messages of the service without information. */
const BARE: ReadonlySet<string> = new Set(['Forbidden', 'Policy Failed']);

/** Return the message of an error. */
export function errorText(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  if (error.isOffline) return t('app.offline');
  return BARE.has(error.said) ? t('app.forbidden') : error.message;
}

/** Return the message with all locations that the service names. */
export function errorPlaces(error: unknown): string {
  const places = placesOf(error instanceof ApiError ? error.problems : []);
  const text = errorText(error);
  return [...new Set(places.length === 1 ? places : [text, ...places])].join(' · ');
}

/** Return the problems with the names of their fields. */
export function placesOf(problems: readonly Problem[]): string[] {
  return problems.map(({ path, message }) => {
    const name = readablePath(path.join('.'));
    return !name || message.includes(name) ? message : `${name}: ${message}`;
  });
}

/** Show an error as a notification, where there is no better place. */
export function failed(error: unknown): void {
  if (error instanceof DOMException && error.name === 'AbortError') return;
  toast('failed', errorText(error));
}
