/** Clipboard for components, which can be pasted into any entry, also in another tab. */
import type { Definitions } from '../../../api/operations';
import { copiedKey } from '../../../app/copied';
import { session } from '../../../app/session.svelte';
import { componentOf } from '../../model/definitions';
import type { Values } from '../../entry/form.svelte';
import { withoutPasswords } from '../../entry/store';
import { copyOf } from './items.svelte';

interface Clip {
  uid: string;
  item: Values;
  /** When it was copied, in milliseconds since 1970. */
  at: number;
}

/** One day in milliseconds. Older components are removed. */
const LIFETIME = 86_400_000;

const keyOf = (): string => copiedKey(session.user?.id ?? '');

class Clipboard {
  #clip = $state.raw<Clip | null>(null);
  #key = '';
  #text: string | null = null;

  constructor() {
    addEventListener('storage', ({ key }) => key === this.#key && this.#read());
  }

  get clip(): Clip | null {
    return this.#clip;
  }

  /** Load what this user has copied, in this tab or another one. */
  look(): void {
    this.#key = keyOf();
    this.#read();
  }

  /** Copy a component without ids, relations and passwords. Return false if the browser's storage is full. */
  copy(item: Values, uid: string, definitions: Definitions): boolean {
    const { __component: _, ...values } = copyOf(item, uid, definitions);
    const clip: Clip = { uid, at: Date.now(), item: withoutPasswords(values, componentOf(definitions, uid)?.attributes ?? {}, definitions) };
    try {
      localStorage.setItem(keyOf(), (this.#text = JSON.stringify(clip)));
    } catch {
      return false;
    }
    this.#clip = clip;
    return true;
  }

  #read(): void {
    try {
      const text = localStorage.getItem(this.#key);
      const clip = text === this.#text ? this.#clip : (JSON.parse(text ?? 'null') as Clip | null);
      const isKept = clip !== null && Date.now() - clip.at < LIFETIME;
      if (clip && !isKept) localStorage.removeItem(this.#key);
      this.#text = isKept ? text : null;
      this.#clip = isKept ? clip : null;
    } catch {
      this.#clip = null;
    }
  }
}

export const clipboard = new Clipboard();
