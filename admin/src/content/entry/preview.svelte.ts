import { getContext, setContext } from 'svelte';
import type { EntryForm } from './form.svelte';

const KEY = 'octavo.preview';

/** Whether the preview pane is open: a choice of this browser, which stays from entry to entry. */
export class PreviewPane {
  isOpen = $state(localStorage.getItem(KEY) === 'open');

  toggle(): void {
    this.isOpen = !this.isOpen;
    if (this.isOpen) localStorage.setItem(KEY, 'open');
    else localStorage.removeItem(KEY);
  }
}

const CONTEXT = Symbol('preview');
export const providePreviewPane = (): PreviewPane => setContext(CONTEXT, new PreviewPane());
export const getPreviewPane = (): PreviewPane => getContext<PreviewPane>(CONTEXT);

/** Where the entry is looked at before it is published: what stands in braces is the entry's own. Null where something
 * is missing that the address needs. */
export function previewAddress(template: string, form: EntryForm): string | null {
  let isWhole = true;
  const address = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = valueOf(name, form);
    if (value === null || value === undefined || value === '' || typeof value === 'object') isWhole = false;
    return encodeURIComponent(String(value));
  });
  return isWhole && /^https?:\/\//.test(address) ? address : null;
}

function valueOf(name: string, form: EntryForm): unknown {
  if (name === 'id') return form.id;
  if (name === 'locale') return form.locale ?? 'en';
  if (name === 'state') return form.original.publishedAt === null ? 'draft' : 'published';
  return form.mayRead(name) ? form.original[name] : null;
}
