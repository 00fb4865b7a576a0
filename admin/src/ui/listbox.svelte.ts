/**
 * Options below a field that keeps the focus, by ARIA's pattern of comboboxes. The marked option is known by its key: one
 * that is there no more is never marked, the first one is instead.
 */
import { tick } from 'svelte';
import { createAttachmentKey } from 'svelte/attachments';
import { on } from 'svelte/events';

export type Key = string | number;
/** What is looked at of a key press. */
export type Press = Pick<KeyboardEvent, 'key'> & Partial<Pick<KeyboardEvent, 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'isComposing'>>;

interface Setting<Item> {
  /** Of the list in the page. */
  id: () => string;
  items: () => readonly Item[];
  keyOf: (item: Item) => Key;
  choose: (item: Item) => void;
  isDisabled?: (item: Item) => boolean;
  /** What is marked as the list opens; else the first option. */
  first?: () => Key | null;
  /** The end of the options comes near. */
  more?: () => unknown;
  /** The list is always to be seen: what closes others is left to what holds it. */
  isFixed?: boolean;
}

const PAGE = 8;
const MOST = Number.MAX_SAFE_INTEGER;
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE, PageUp: -PAGE, End: MOST, Home: -MOST };

export class Listbox<Item> {
  readonly #setting: Setting<Item>;
  isOpen = $state(false);
  #marked = $state<Key | null>(null);
  readonly #at = $derived.by(() => {
    const items = this.items;
    const found = items.findIndex((item) => this.keyOf(item) === this.#marked);
    return Math.min(Math.max(found, 0), items.length - 1);
  });

  constructor(setting: Setting<Item>) {
    this.#setting = setting;
    this.isOpen = setting.isFixed ?? false;
  }

  get id(): string {
    return this.#setting.id();
  }
  get items(): readonly Item[] {
    return this.#setting.items();
  }
  /** The option that `Enter` chooses. */
  get marked(): Item | undefined {
    return this.items[this.#at];
  }
  keyOf(item: Item): Key {
    return this.#setting.keyOf(item);
  }
  idOf(item: Item): string {
    return `${this.id}-${encodeURIComponent(String(this.keyOf(item)))}`;
  }
  isDisabled(item: Item): boolean {
    return this.#setting.isDisabled?.(item) ?? false;
  }

  /** What the field is given: its role, its keys, and what it says of the list. */
  get field() {
    const isShown = this.isOpen && this.marked !== undefined;
    return {
      role: 'combobox' as const,
      autocomplete: 'off' as const,
      'aria-autocomplete': 'list' as const,
      'aria-expanded': isShown,
      'aria-controls': isShown ? this.id : undefined,
      'aria-activedescendant': isShown ? this.idOf(this.marked!) : undefined,
      [this.#keys]: this.#listen,
    };
  }
  readonly #keys = createAttachmentKey();
  /** At the field itself: a dialog around it does not hear the keys that the list takes. */
  readonly #listen = (field: HTMLElement) => {
    const hears = on(field, 'keydown', (event) => {
      if (!this.press(event)) return;
      event.preventDefault();
      event.stopPropagation();
    });
    const leaves = on(field, 'blur', () => this.close());
    return () => (hears(), leaves());
  };

  open(): void {
    if (this.isOpen) return;
    this.#marked = this.#setting.first?.() ?? null;
    this.isOpen = true;
    this.#reveal();
  }
  close(): void {
    if (!this.#setting.isFixed) this.isOpen = false;
  }
  /** Something else is looked for: the first option is marked. */
  restart(): void {
    this.open();
    this.#marked = null;
    this.#reveal();
  }
  point(item: Item): void {
    this.#marked = this.keyOf(item);
  }
  choose(item: Item): void {
    if (this.isDisabled(item)) return;
    this.close();
    this.#setting.choose(item);
  }
  near(): void {
    this.#setting.more?.();
  }

  /** Whether the list takes a key. */
  press(event: Press): boolean {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.isComposing) return false;
    if (!this.isOpen) return this.#opens(event);
    const step = event.altKey ? undefined : STEPS[event.key];
    if (step !== undefined) this.#move(step);
    else if (event.key === 'Enter') this.marked !== undefined && this.choose(this.marked);
    else return this.#closes(event);
    return true;
  }

  #opens({ key }: Press): boolean {
    if (key !== 'ArrowDown' && key !== 'ArrowUp') return false;
    this.open();
    return true;
  }
  #closes({ key, altKey }: Press): boolean {
    if (this.#setting.isFixed) return false;
    const isClosed = key === 'Escape' || (key === 'ArrowUp' && altKey === true);
    if (isClosed || key === 'Tab') this.close();
    return isClosed;
  }
  #move(step: number): void {
    const last = this.items.length - 1;
    const item = this.items[Math.max(0, Math.min(this.#at + step, last))];
    if (item === undefined) return;
    this.point(item);
    this.#reveal();
    if (item === this.items[last]) this.near();
  }
  #reveal(): void {
    void tick().then(() => this.isOpen && this.marked !== undefined && document.getElementById(this.idOf(this.marked))?.scrollIntoView({ block: 'nearest' }));
  }
}
