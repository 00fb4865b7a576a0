import type { EntryForm } from './form.svelte';

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
