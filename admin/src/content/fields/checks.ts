/** Validation while the user types, by the attribute's rules. The server validates again. */
import type { Attribute } from '../../api/operations';
import { t } from '../../messages/index.svelte';

const NUMBERS = new Set(['integer', 'biginteger', 'float', 'decimal']);
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const UID = /^[A-Za-z0-9\-_.~]*$/;

/** Return the error message of a value; undefined if it is valid. */
export function check(attribute: Attribute, value: unknown): string | undefined {
  if (isEmpty(value)) return attribute.required ? t('entry.check.required') : undefined;
  if (typeof value === 'string' && !NUMBERS.has(attribute.type)) return checkText(attribute, value);
  if (NUMBERS.has(attribute.type)) return checkNumber(attribute, value as number | string);
  return Array.isArray(value) ? checkCount(attribute, value.length) : undefined;
}

export function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}

function checkText(attribute: Attribute, text: string): string | undefined {
  const { minLength, maxLength, regex, type } = attribute;
  if (minLength !== undefined && text.length < minLength) return t('entry.check.minLength', { count: minLength, length: text.length });
  if (maxLength !== undefined && text.length > maxLength) return t('entry.check.maxLength', { count: maxLength, length: text.length });
  if (type === 'email' && !EMAIL.test(text)) return t('entry.check.email');
  if (type === 'uid' && !UID.test(text)) return t('entry.check.uid');
  if (type === 'enumeration' && !attribute.enum?.includes(text)) return t('entry.check.enum');
  if (regex && !matches(regex, text)) return t('entry.check.regex', { regex });
  return undefined;
}

/** Whether a text matches. The server checks patterns that this browser does not support. */
function matches(regex: string, text: string): boolean {
  try {
    return new RegExp(regex).test(text);
  } catch {
    return true;
  }
}

function checkNumber({ type, min, max }: Attribute, value: number | string): string | undefined {
  const read = (limit: number | string): number | bigint => (type === 'biginteger' ? BigInt(limit) : Number(limit));
  try {
    const number = read(value);
    if (min !== undefined && number < read(min)) return t('entry.check.min', { min: String(min) });
    if (max !== undefined && number > read(max)) return t('entry.check.max', { max: String(max) });
  } catch {
    return t('entry.check.integer');
  }
  return undefined;
}

/** Check the number of items in a repeatable component or dynamic zone. */
function checkCount({ min, max }: Attribute, count: number): string | undefined {
  if (min !== undefined && count < Number(min)) return t('entry.check.minItems', { count: Number(min) });
  if (max !== undefined && count > Number(max)) return t('entry.check.maxItems', { count: Number(max) });
  return undefined;
}
