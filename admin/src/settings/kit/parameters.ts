/** Keep the state of a list in the URL, for reloads, links and the back button. */
import { searchParams } from 'sv-router';

export function textOf(name: string): string {
  return String(searchParams.get(name) ?? '');
}

export function numberOf(name: string, otherwise: number): number {
  const found = Number(searchParams.get(name) ?? otherwise);
  return Number.isSafeInteger(found) && found > 0 ? found : otherwise;
}

/** Set parameters of the URL, without empty ones. Another choice starts at page 1. */
export function show(values: Readonly<Record<string, string | number>>): void {
  if (!('page' in values)) searchParams.delete('page', undefined, { replace: true });
  for (const [name, value] of Object.entries(values)) {
    if (value === '') searchParams.delete(name, undefined, { replace: true });
    else searchParams.set(name, value, { replace: true });
  }
}
