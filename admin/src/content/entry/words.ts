/** Values of an entry in short words, for comparisons. */
import type { Attribute } from '../../api/operations';
import { formatInstant, t } from '../../messages/index.svelte';
import { labelOf } from '../fields/props';
import type { EntryForm, Values } from './form.svelte';

const LONGEST = 2000;

export function inWords(attribute: Attribute, value: unknown): string {
  if (value === null || value === undefined || value === '') return t('entry.none');
  if (typeof value === 'boolean') return t(value ? 'entry.true' : 'entry.false');
  if (attribute.type === 'datetime' || attribute.type === 'timestamp') return formatInstant(String(value));
  if (typeof value !== 'object') return String(value).slice(0, LONGEST);
  if (attribute.type === 'media') return [value].flat().map((file) => String((file as Values).name)).join(', ');
  return JSON.stringify(value, (key, inner: unknown) => (key === 'id' ? undefined : inner), 1).slice(0, LONGEST);
}

/** What a field is called, with the parts that it lies in. */
export function nameOfPath(form: EntryForm, path: string): string {
  const [top = path, ...inner] = path.split('.');
  const label = labelOf(top, form.views.contentType.metadatas[top]?.edit ?? {});
  return [label, ...inner.map((step) => (/^\d+$/.test(step) ? String(Number(step) + 1) : step))].join(' › ');
}
