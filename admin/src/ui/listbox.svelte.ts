/**
 * Options below a field that keeps the focus (ARIA's pattern of comboboxes). The active option is identified by its
 * key; if it disappears, the first one becomes active.
 */
import { tick } from 'svelte';
import { createAttachmentKey } from 'svelte/attachments';
import { on } from 'svelte/events';

export type Key = string | number;
/** The used parts of a key press. */
export type Press = Pick<KeyboardEvent, 'key'> & Partial<Pick<KeyboardEvent, 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'isComposing'>>;

interface Setting<Item> {
  /** The id of the list's element. */
  id: () => string;
  items: () => readonly Item[];
  keyOf: (item: Item) => Key;
  choose: (item: Item) => void;
  isDisabled?: (item: Item) => boolean;
  /** The option that is active when the list opens; otherwise the first one. */
  first?: () => Key | null;
  /** Called near the end of the options. */
  more?: () => unknown;
  /** The list is always visible; its container handles closing. */
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
  /** The active option, which `Enter` chooses. */
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

  /** The attributes of the field: its role, its keys, and the state of the list. */
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
  /** Listens at the field itself, so that a dialog around it does not get the keys of the list. */
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
  /** Make the first option active after a new search. */
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

  /** Handle a key; return whether it was one of the list. */
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
