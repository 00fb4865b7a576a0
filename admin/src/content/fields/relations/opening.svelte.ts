/** What one may do with the entries that a relation leads to, without leaving the form. */
import { session } from '../../../app/session.svelte';
import type { EntryForm, Values } from '../../entry/form.svelte';
import { getPanels, type Panel } from '../../entry/panels.svelte';
import { mayDo } from '../../entry/rights';
import { contentTypeOf, isLocalized } from '../../model/definitions';

export interface Asking {
  form: EntryForm;
  /** The content-type that is led to. */
  target: () => string;
  path: () => string;
  /** The attribute that entries are called by there. */
  mainField: () => string;
  /** An entry was saved in a panel that was opened from here. */
  hear: (entry: Values & { id: number }) => void;
}

/** Called while the component of the field is made. */
export class Opening {
  readonly #asking: Asking;
  readonly #panels = getPanels();
  readonly #type = $derived.by(() => contentTypeOf(this.#asking.form.definitions, this.#asking.target()));
  /** The language that targets have to be in. */
  readonly locale = $derived.by(() => (this.#type && isLocalized(this.#type) ? this.#asking.form.locale : null));
  readonly #hasPages = $derived.by(() => this.#type?.kind === 'collectionType' && this.#type.isDisplayed);
  readonly #hasRoom = $derived.by(() => this.#hasPages && this.#panels?.hasRoom(this.#asking.form.depth) === true);
  /** Entries have a page that one may see. */
  readonly mayRead = $derived.by(() => this.#hasPages && this.#may('read'));
  readonly mayOpen = $derived.by(() => this.#hasRoom && this.#may('read'));
  readonly mayCreate = $derived.by(() => this.#hasRoom && this.#may('create'));

  constructor(asking: Asking) {
    this.#asking = asking;
    $effect(() => this.#panels?.wait(asking.form.depth, asking.path(), (entry) => asking.hear(entry as Values & { id: number })));
  }

  /** The content-type that is led to. */
  get target(): string {
    return this.#asking.target();
  }

  /** What one of its entries is. */
  get kind(): string {
    return this.#type?.info.displayName ?? this.#asking.target();
  }

  open(id: number): void {
    this.#show({ ...this.#panel(id), locale: null });
  }
  create(text: string): void {
    const named = text ? { named: { attribute: this.#asking.mainField(), value: text } } : {};
    this.#show({ ...this.#panel(null), ...named });
  }

  #show(panel: Panel): void {
    void this.#panels?.open(this.#asking.form.depth, panel);
  }
  #panel(id: number | null): Panel {
    return { uid: this.#asking.target(), id, locale: this.locale, path: this.#asking.path() };
  }
  #may(action: 'read' | 'create'): boolean {
    return mayDo(session.rights, action, this.#asking.target(), this.locale);
  }
}
