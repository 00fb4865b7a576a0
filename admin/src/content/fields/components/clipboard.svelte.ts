/** A component that was copied, to be pasted in this entry or in another one, also in another tab. */
import type { Definitions } from '../../../api/operations';
import { session } from '../../../app/session.svelte';
import { componentOf } from '../../model/definitions';
import type { Values } from '../../entry/form.svelte';
import { withoutPasswords } from '../../entry/store';
import { copyOf } from './items.svelte';

interface Clip {
  uid: string;
  item: Values;
}

const keyOf = (): string => `octavo.component.${session.user?.id ?? ''}`;

class Clipboard {
  #clip = $state.raw<Clip | null>(null);
  #key = '';

  constructor() {
    addEventListener('storage', ({ key }) => key === this.#key && this.#read());
  }

  /** The component that was copied last. */
  get clip(): Clip | null {
    return this.#clip;
  }

  /** Read what another page of this administrator has copied. */
  look(): void {
    if (this.#key === keyOf()) return;
    this.#key = keyOf();
    this.#read();
  }

  /** Returns whether the browser has room for it. Ids, links and passwords are left out. */
  copy(item: Values, uid: string, definitions: Definitions): boolean {
    const { __component: _, ...values } = copyOf(item, uid, definitions);
    const clip = { uid, item: withoutPasswords(values, componentOf(definitions, uid)?.attributes ?? {}, definitions) };
    try {
      localStorage.setItem(keyOf(), JSON.stringify(clip));
    } catch {
      return false;
    }
    this.#clip = clip;
    return true;
  }

  #read(): void {
    try {
      this.#clip = JSON.parse(localStorage.getItem(this.#key) ?? 'null') as Clip | null;
    } catch {
      this.#clip = null;
    }
  }
}

export const clipboard = new Clipboard();
