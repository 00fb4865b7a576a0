/** What a list shows, kept in the address: reloads, links and the back button find it again. */
import { searchParams } from 'sv-router';

export function textOf(name: string): string {
  return String(searchParams.get(name) ?? '');
}

export function numberOf(name: string, otherwise: number): number {
  const found = Number(searchParams.get(name) ?? otherwise);
  return Number.isSafeInteger(found) && found > 0 ? found : otherwise;
}

/** Say what is shown; nothing of what is empty. Another choice begins at its first page. */
export function show(values: Readonly<Record<string, string | number>>): void {
  if (!('page' in values)) searchParams.delete('page', undefined, { replace: true });
  for (const [name, value] of Object.entries(values)) {
    if (value === '') searchParams.delete(name, undefined, { replace: true });
    else searchParams.set(name, value, { replace: true });
  }
}
