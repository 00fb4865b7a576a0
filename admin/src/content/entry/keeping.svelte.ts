/** Stores unsaved changes in this browser, and offers to restore them after the tab was closed or crashed. */
import { session } from '../../app/session.svelte';
import type { EntryForm, Values } from './form.svelte';
import { drop, keep, kept, withoutPasswords, type Kept } from './store';

/** Milliseconds after the last change. */
const PAUSE = 800;

export class Keeping {
  readonly #form: EntryForm;
  /** The draft found when the form was opened. */
  found = $state.raw<Kept | null>(null);
  /** The key of the found draft, until this form replaces or deletes it. */
  #foundKey: string | null = null;
  /** Identifies the tab: drafts of two tabs with the same entry are separate. */
  readonly #tab = Math.random().toString(36).slice(2);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isKept = false;

  constructor(form: EntryForm) {
    this.#form = form;
    void this.#look();
  }

  get #place(): string {
    const { type, id, locale, origin, related } = this.#form;
    const which = type.kind === 'singleType' ? 'single' : (id ?? `new:${origin ?? ''}:${related ?? ''}`);
    return [session.user?.id, type.uid, which, locale ?? ''].join('/');
  }

  get #key(): string {
    return `${this.#place}/${this.#tab}`;
  }

  async #look(): Promise<void> {
    const [key, found] = (await kept(this.#place)) ?? [];
    if (!key || !found || this.#form.isChanged) return;
    const { attributes } = this.#form.type;
    const names = Object.keys(found.values).filter((name) => attributes[name] && this.#form.mayWrite(name));
    if (!names.length) return;
    this.found = found;
    this.#foundKey = key;
  }

  /** Store changes shortly after the last one. */
  later(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#write(), PAUSE);
  }

  /** Put the found draft into the form. */
  restore(): void {
    const found = this.found;
    this.found = null;
    if (found) this.#form.restore(found.values, found.base, this.#form.original);
  }

  /** Delete the found draft. */
  async discard(): Promise<void> {
    this.found = null;
    await this.#dropFound();
  }

  /** Delete this form's draft because its changes were saved or discarded. Drafts of other tabs stay. */
  async forget(): Promise<void> {
    clearTimeout(this.#timer);
    this.#isKept = false;
    await drop(this.#key);
    await this.#dropFound();
  }

  /** Delete the found draft, unless the user can still restore it. */
  async #dropFound(): Promise<void> {
    const key = this.found ? null : this.#foundKey;
    if (!key) return;
    this.#foundKey = null;
    await drop(key);
  }

  /** Cancel a pending write. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  async #write(): Promise<void> {
    const form = this.#form;
    if (!form.changed.size) {
      if (this.#isKept) await this.forget();
      return;
    }
    const names = [...form.changed];
    const chosen = Object.fromEntries(names.map((name) => [name, $state.snapshot(form.values[name])]));
    const base: Values = Object.fromEntries(names.map((name) => [name, form.original[name]]));
    const clean = (values: Values): Values => withoutPasswords(values, form.type.attributes, form.definitions);
    this.#isKept = true;
    await keep(this.#key, { values: clean(chosen), base: { ...clean(base), updatedAt: form.original.updatedAt }, at: Date.now() });
    await this.#dropFound();
  }
}
