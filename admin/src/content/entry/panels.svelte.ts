/**
 * Entries that are edited beside that of the page: panels, each over the one before. Which are open is kept in the state of
 * the browser's history: the way back closes the last one, and a reload opens them again. Addresses stay those of pages.
 */
import { getContext, setContext } from 'svelte';
import { goTo, route, stateOfHistory } from '../../app/router';
import type { Values } from './form.svelte';

export interface Panel {
  uid: string;
  /** Null for an entry that is new. */
  id: number | null;
  /** Of a new entry; null where there are none, or the usual one is meant. */
  locale: string | null;
  /** The relation that asked for it, in the form below. */
  path: string;
  /** What a new entry is called at first, and by which attribute. */
  named?: { attribute: string; value: string };
  /** The field that is wanted in it. */
  field?: string;
}

/** Deeper than that, links lead to pages. */
const MOST = 3;

const here = (): string => location.pathname + location.search;
const read = (state: unknown): readonly Panel[] => (state as { panels?: Panel[] } | null)?.panels ?? [];

export class Panels {
  readonly shown = $derived(read(route.state));
  /** Where the page is: other addresses are other pages. */
  #address = '';
  readonly #waiting = new Map<string, (entry: Values) => void>();
  #isOpening = false;
  #scrolled = 0;

  constructor() {
    let before = 0;
    $effect(() => {
      const now = this.shown.length;
      if (now < before) window.scrollTo(0, this.#scrolled); // the router has gone to the top
      before = now;
    });
    $effect(() => {
      void [route.pathname, route.search];
      this.#address = here();
    });
  }

  /** Whether one may open over a form of that depth. */
  hasRoom(depth: number | null): boolean {
    return depth !== null && depth < MOST;
  }

  /** Over the form of a depth; once, however often it is asked for. */
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

  /** Close the last one, as the way back does. */
  close = (): void => history.back();

  /** Whether the navigation under way keeps the form of a depth: it is a matter of panels over it. */
  isMoving(depth = 0): boolean {
    if (this.#isOpening) return true;
    const next = read(stateOfHistory());
    return here() === this.#address && next.length !== this.shown.length && next.length >= depth;
  }

  /** Be told what is saved in the panel that a relation has opened. */
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
/** None where entries are only looked at. */
export const getPanels = (): Panels | undefined => getContext<Panels | undefined>(KEY);
