/** Unsaved changes in this browser (IndexedDB), by user, entry and tab. They never contain passwords. */
import type { Attribute, Definitions } from '../../api/operations';
import { partOf } from './merging';
import type { Values } from './form.svelte';

export interface Kept {
  /** The changed values. */
  values: Values;
  /** The server's values when the changes were made, with `updatedAt`. */
  base: Values;
  /** When it was stored, in milliseconds since 1970. */
  at: number;
}

const NAME = 'octavo.drafts';
const STORE = 'drafts';
/** Older drafts are deleted. */
const LIFE = 30 * 24 * 3600 * 1000;

let opened: Promise<IDBDatabase> | null = null;

function open(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => {
      request.result.onversionchange = close; // another page deletes the database and waits for this one
      resolve(request.result);
    };
    request.onerror = () => reject(request.error ?? new Error(NAME));
  });
  return opened;
}

function close(this: IDBDatabase): void {
  this.close();
  opened = null;
}

async function ask<Result>(mode: IDBTransactionMode, what: (store: IDBObjectStore) => IDBRequest<Result>): Promise<Result> {
  const database = await open();
  return new Promise((resolve, reject) => {
    const request = what(database.transaction(STORE, mode).objectStore(STORE));
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error(NAME));
  });
}

/** Return the latest draft of an entry from any tab, with its key; null if there is none, or no storage. */
export async function kept(place: string): Promise<[key: string, what: Kept] | null> {
  const range = IDBKeyRange.bound(`${place}/`, `${place}/\uffff`);
  try {
    const keys = await ask<IDBValidKey[]>('readonly', (store) => store.getAllKeys(range));
    const found: [string, Kept][] = [];
    for (const key of keys as string[]) {
      const what = await ask<Kept | undefined>('readonly', (store) => store.get(key));
      if (what && what.at > Date.now() - LIFE) found.push([key, what]);
      else await drop(key);
    }
    return found.sort(([, a], [, b]) => b.at - a.at)[0] ?? null;
  } catch {
    return null;
  }
}

export async function keep(key: string, what: Kept): Promise<void> {
  await ask('readwrite', (store) => store.put(what, key)).catch(() => undefined);
}

export async function drop(key: string): Promise<void> {
  await ask('readwrite', (store) => store.delete(key)).catch(() => undefined);
}

/** Return values without passwords, including those in components. */
export function withoutPasswords(values: Values, attributes: Readonly<Record<string, Attribute>>, definitions: Definitions): Values {
  const clean = (attribute: Attribute | undefined, value: unknown): unknown => {
    if (!attribute || typeof value !== 'object' || value === null || (attribute.type !== 'component' && attribute.type !== 'dynamiczone')) return value;
    if (Array.isArray(value)) return value.map((item: Values) => withoutPasswords(item, partOf(attribute, item, definitions), definitions));
    return withoutPasswords(value as Values, partOf(attribute, value as Values, definitions), definitions);
  };
  const shown = Object.entries(values).filter(([name]) => attributes[name]?.type !== 'password');
  return Object.fromEntries(shown.map(([name, value]) => [name, clean(attributes[name], value)]));
}
