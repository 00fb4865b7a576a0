/**
 * Panels with entries, each above the previous one, over the page's entry. The browser's history state contains the
 * open panels: Back closes the last one, and a reload opens them again. The URL is that of the page.
 */
import { getContext, setContext } from 'svelte';
import { goTo, route, stateOfHistory } from '../../app/router';
import type { Values } from './form.svelte';

export interface Panel {
  uid: string;
  /** Null for a new entry. */
  id: number | null;
  /** The locale of a new entry; null for types without locales, or for the default locale. */
  locale: string | null;
  /** The field in the form below that opened the panel. */
  path: string;
  /** The title of a new entry, and the attribute that contains it. */
  named?: { attribute: string; value: string };
  /** The field to reveal. */
  field?: string;
}

/** The most panels. Links in the last one open pages. */
const MOST = 3;

const here = (): string => location.pathname + location.search;
const read = (state: unknown): readonly Panel[] => (state as { panels?: Panel[] } | null)?.panels ?? [];

export class Panels {
  readonly shown = $derived(read(route.state));
  /** The URL of the page with the panels. */
  #address = '';
  readonly #waiting = new Map<string, (entry: Values) => void>();
  #isOpening = false;
  #scrolled = 0;

  constructor() {
    let before = 0;
    $effect(() => {
      const now = this.shown.length;
      if (now < before) window.scrollTo(0, this.#scrolled); // the router has scrolled to the top
      before = now;
    });
    $effect(() => {
      void [route.pathname, route.search];
      this.#address = here();
    });
  }

  /** Whether a panel can open above a form at this depth. */
  hasRoom(depth: number | null): boolean {
    return depth !== null && depth < MOST;
  }

  /** Open a panel above the form at this depth. Repeated calls open only one. */
  async open(depth: number | null, panel: Panel): Promise<void> {
    if (this.#isOpening || depth !== this.shown.length) return;
    if (!depth) this.#scrolled = window.scrollY;
    const panels = [...$state.snapshot(this.shown), panel];
    this.#isOpening = true;
    try {
      await goTo(location.href, { state: { panels }, scrollToTop: false });
    } finally {
      this.#isOpening = false;
    }
  }

  /** Close the last panel, like the browser's Back button. */
  close = (): void => history.back();

  /** Whether the current navigation only opens or closes panels, and keeps the form at this depth. */
  isMoving(depth = 0): boolean {
    if (this.#isOpening) return true;
    const next = read(stateOfHistory());
    return here() === this.#address && next.length !== this.shown.length && next.length >= depth;
  }

  /**
   * Call `hear` with each entry saved in the panel that the field at `path` opened. Return a function that stops this.
   */
  wait(depth: number | null, path: string, hear: (entry: Values) => void): (() => void) | undefined {
    if (depth === null) return undefined;
    const key = `${depth} ${path}`;
    this.#waiting.set(key, hear);
    return () => this.#waiting.get(key) === hear && this.#waiting.delete(key);
  }
  tell(depth: number, path: string, entry: Values): void {
    this.#waiting.get(`${depth} ${path}`)?.(entry);
  }
}

const KEY = Symbol('panels');
export const providePanels = (): Panels => setContext(KEY, new Panels());
/** Undefined outside of an entry's page, for example in the preview of the form configuration. */
export const getPanels = (): Panels | undefined => getContext<Panels | undefined>(KEY);
