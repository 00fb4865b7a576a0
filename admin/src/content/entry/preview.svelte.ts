import { getContext, setContext } from 'svelte';
import { call } from '../../api/client';
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

/** Replaced by a one-time code when the preview is opened. */
const CODE = '{code}';

/** The preview URL of an entry: values of the entry replace placeholders, except `{code}`. Null if a value is missing. */
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

/** Whether a preview URL needs a code. */
export const needsCode = (address: string): boolean => address.includes(CODE);

/** The URL to open, with a new code if it needs one. Throws ApiError. */
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
