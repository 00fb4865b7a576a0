/** Conversion of values between inputs and URL parameters. */
import type { Attribute } from '../../api/operations';
import { formatInstant, t, type MessageKey } from '../../messages/index.svelte';
import type { Period } from './periods';

const INSTANTS = new Set(['datetime', 'timestamp']);
/** Types whose values are shown without quotation marks. */
const BARE = new Set(['boolean', 'integer', 'biginteger', 'float', 'decimal', 'date', 'time', 'datetime', 'timestamp']);
const WHOLE = new Set(['integer', 'biginteger']);

/** Return the input type for values of an attribute. */
export function inputType(attribute: Attribute): 'text' | 'date' | 'time' | 'datetime-local' {
  if (INSTANTS.has(attribute.type)) return 'datetime-local';
  return attribute.type === 'date' || attribute.type === 'time' ? attribute.type : 'text';
}

/** Return a parameter's value for the input. Dates with a time are converted to the user's time zone. */
export function toInput(value: string, attribute: Attribute): string {
  if (attribute.type === 'time') return value.replace(/\.000$/, '');
  if (!INSTANTS.has(attribute.type) || Number.isNaN(Date.parse(value))) return value;
  const here = new Date(value);
  return new Date(here.getTime() - here.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** Return an input's value for the URL; null if it is invalid for the attribute. */
export function fromInput(text: string, attribute: Attribute): string | null {
  const value = text.trim();
  if (!value) return null;
  if (INSTANTS.has(attribute.type)) return Number.isNaN(Date.parse(value)) ? null : new Date(value).toISOString();
  if (attribute.type === 'time') return /^\d\d:\d\d$/.test(value) ? `${value}:00.000` : /^\d\d:\d\d:\d\d$/.test(value) ? `${value}.000` : value;
  if (WHOLE.has(attribute.type)) return /^[+-]?\d+$/.test(value) ? value : null;
  if (attribute.type === 'float' || attribute.type === 'decimal') return Number.isFinite(Number(value)) ? value : null;
  return text;
}

export const periodName = (period: Period): string => t(`list.period.${period}` as MessageKey);

/** Return a value in quotation marks if it is a text, to set it apart from the words around it. */
export function quotedName(name: string, attribute: Attribute | undefined): string {
  return attribute && BARE.has(attribute.type) ? name : t('list.filter.quoted', { value: name });
}

/** Return a value's label. */
export function valueName(value: string, attribute: Attribute | undefined): string {
  if (attribute?.type === 'boolean') return value === 'true' ? t('ui.yes') : t('ui.no');
  if (attribute && INSTANTS.has(attribute.type) && !Number.isNaN(Date.parse(value))) return formatInstant(value);
  return value;
}
