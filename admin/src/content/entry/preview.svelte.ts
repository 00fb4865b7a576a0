import { getContext, setContext } from 'svelte';
import { call } from '../../api/client';
import type { EntryForm } from './form.svelte';

const KEY = 'octavo.preview';

/** Whether the preview pane is open. The choice is stored in this browser, for all entries. */
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

/** Replaced by a one-time code when the preview is opened. */
const CODE = '{code}';

/**
 * Return the entry's preview URL with the entry's values for placeholders except `{code}`; null if a value is missing.
 */
export function previewAddress(template: string, form: EntryForm): string | null {
  let isWhole = true;
  const address = template.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    if (placeholder === CODE) return CODE;
    const value = valueOf(name, form);
    if (value === null || value === undefined || value === '' || typeof value === 'object') isWhole = false;
    return encodeURIComponent(String(value));
  });
  return isWhole && /^https?:\/\//.test(address) ? address : null;
}

export const needsCode = (address: string): boolean => address.includes(CODE);

/** Return the URL to open, with a new code if it needs one. Throw ApiError if the server refuses. */
export async function openableAddress(address: string, form: EntryForm): Promise<string> {
  if (!needsCode(address)) return address;
  const path = { uid: form.type.uid, id: form.id! };
  const { code } = (await call('POST /octavo/preview-codes/:uid/:id', { path })).data;
  return address.replaceAll(CODE, encodeURIComponent(code));
}

function valueOf(name: string, form: EntryForm): unknown {
  if (name === 'id') return form.id;
  if (name === 'locale') return form.locale ?? 'en';
  if (name === 'state') return form.original.publishedAt === null ? 'draft' : 'published';
  return form.mayRead(name) ? form.original[name] : null;
}
