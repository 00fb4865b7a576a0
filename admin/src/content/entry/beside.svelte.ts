/** Another localization of the entry, edited beside the form. */
import { getContext, setContext } from 'svelte';
import { mayLeaveUnsaved } from '../../ui/unsaved';
import type { Editing } from './editing.svelte';

export class Beside {
  id = $state<number | null>(null);
  locale = $state<string | null>(null);
  /** If there is room for only one of the two: whether this one is visible. */
  isInFront = $state(false);
  /** Its form, once the entry is loaded. */
  editing: Editing | null = null;

  /** Open or close it. Before closing, ask the user about unsaved changes. */
  async toggle(id: number, locale: string): Promise<void> {
    const isShown = this.id === id;
    if (!(await this.#mayClose())) return;
    this.id = isShown ? null : id;
    this.locale = isShown ? null : locale;
    this.isInFront = !isShown;
  }

  /** Save its changes, if it has any. */
  async save(): Promise<void> {
    const { form, saving } = this.editing ?? {};
    if (form?.mayStore && form.isChanged) await saving?.save();
  }

  async #mayClose(): Promise<boolean> {
    if (!this.editing?.form.isChanged) return true;
    const { form, saving, keeping } = this.editing;
    const isSure = await mayLeaveUnsaved(() => form.isChanged, form.mayStore ? saving.save : undefined);
    if (isSure) void keeping.forget();
    return isSure;
  }
}

const KEY = Symbol('beside');
export const provideBeside = (): Beside => setContext(KEY, new Beside());
export const getBeside = (): Beside => getContext<Beside>(KEY);
