/** Another localization of the entry, shown beside the form. */
import { getContext, setContext } from 'svelte';

export class Beside {
  id = $state<number | null>(null);
  locale = $state<string | null>(null);

  toggle(id: number, locale: string): void {
    const isShown = this.id === id;
    this.id = isShown ? null : id;
    this.locale = isShown ? null : locale;
  }
}

const KEY = Symbol('beside');
export const provideBeside = (): Beside => setContext(KEY, new Beside());
export const getBeside = (): Beside => getContext<Beside>(KEY);
