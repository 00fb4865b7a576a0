/** Values, fields and messages of an entry as short texts. */
import type { Attribute, View } from '../../api/operations';
import { formatInstant, t } from '../../messages/index.svelte';
import { inOurWords } from '../../messages/said';
import { joined, readableName, stepsOf } from '../../messages/names';
import { labelOf } from '../fields/props';
import { componentOf } from '../model/definitions';
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

/** Return a field's label with those of its containers: `blocks.0.title` is "Blocks 1 › Title". */
export function nameOfPath(form: EntryForm, path: string): string {
  let view: View | undefined = form.views.contentType;
  let attributes: Readonly<Record<string, Attribute>> | undefined = form.type.attributes;
  let value: unknown = form.values;
  let uid: string | undefined;
  const steps = stepsOf(path).map((step) => {
    const attribute: Attribute | undefined = typeof step === 'string' ? attributes?.[step] : undefined;
    const look = typeof step === 'string' ? view?.metadatas[step]?.edit : undefined;
    value = (value as Values | undefined)?.[step];
    if (typeof step === 'string') uid = attribute?.component;
    uid = ((value as Values | null | undefined)?.__component as string | undefined) ?? uid;
    view = uid === undefined ? undefined : form.views.components[uid];
    attributes = uid === undefined ? undefined : componentOf(form.definitions, uid)?.attributes;
    return typeof step === 'number' ? step : look ? labelOf(step, look) : readableName(step);
  });
  return joined(steps);
}

/** Return a message of the server about the entry, with the form's labels. */
export function saidOf(form: EntryForm, message: string): string {
  return inOurWords(message, (path) => nameOfPath(form, path));
}
