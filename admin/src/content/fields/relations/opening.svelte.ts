/** Opening and creating a relation's targets without leaving the form. */
import { session } from '../../../app/session.svelte';
import type { EntryForm, Values } from '../../entry/form.svelte';
import { getPanels, type Panel } from '../../entry/panels.svelte';
import { mayDo } from '../../entry/rights';
import { contentTypeOf, isLocalized } from '../../model/definitions';

export interface Asking {
  form: EntryForm;
  /** Return the uid of the targets' content type. */
  target: () => string;
  path: () => string;
  /** Return the attribute that is the targets' title. */
  mainField: () => string;
  /** Called with each entry that is saved in a panel opened from here. */
  hear: (entry: Values & { id: number }) => void;
}

/** Create it during component initialization. */
export class Opening {
  readonly #asking: Asking;
  readonly #panels = getPanels();
  readonly #type = $derived.by(() => contentTypeOf(this.#asking.form.definitions, this.#asking.target()));
  /** The locale that targets must have; null if they are not localized. */
  readonly locale = $derived.by(() => (this.#type && isLocalized(this.#type) ? this.#asking.form.locale : null));
  readonly #hasPages = $derived.by(() => this.#type?.kind === 'collectionType' && this.#type.isDisplayed);
  readonly #hasRoom = $derived.by(() => this.#hasPages && this.#panels?.hasRoom(this.#asking.form.depth) === true);
  /** Whether targets have a page that the user can see. */
  readonly mayRead = $derived.by(() => this.#hasPages && this.#may('read'));
  readonly mayOpen = $derived.by(() => this.#hasRoom && this.#may('read'));
  readonly mayCreate = $derived.by(() => this.#hasRoom && this.#may('create'));

  constructor(asking: Asking) {
    this.#asking = asking;
    $effect(() => this.#panels?.wait(asking.form.depth, asking.path(), (entry) => asking.hear(entry as Values & { id: number })));
  }

  get target(): string {
    return this.#asking.target();
  }

  /** The display name of the targets' content type. */
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
