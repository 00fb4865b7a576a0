/** Fields that can be edited in several entries at once, and the values sent for them. */
import type { ContentTypeSchema, Definitions, View } from '../../api/operations';
import { session } from '../../app/session.svelte';
import { fieldRights } from '../entry/rights';
import { filterFields, type FilterField } from './fields';
import { isToMany } from './relations';
import { fromInput } from './values';

const SIMPLE = new Set(['string', 'text', 'email', 'enumeration', 'boolean', 'integer', 'biginteger', 'float', 'decimal', 'date', 'time', 'datetime']);
const NUMBERS = new Set(['integer', 'float', 'decimal']);
const OF_SERVICE = new Set(['createdAt', 'updatedAt', 'publishedAt', 'createdBy', 'updatedBy', 'locale', 'localizations']);

/** Return the scalar fields and relations that the user can write, except unique fields. */
export function batchFields(type: ContentTypeSchema, view: View, definitions: Definitions, locale: string | null): FilterField[] {
  const mayWrite = fieldRights(session.rights, 'update', type.uid, locale);
  return filterFields(type, view, definitions, (path) => path.length === 1 && mayWrite(path[0] ?? '')).filter(
    ({ path: [name = ''], attribute }) =>
      !OF_SERVICE.has(name) && !attribute.unique && attribute.writable !== false && (SIMPLE.has(attribute.type) || (attribute.type === 'relation' && attribute.target)),
  );
}

/** Return the value to send for an input's text; undefined if it is not valid for the field. */
export function batchValue({ attribute }: FilterField, text: string): unknown {
  if (attribute.type === 'relation') return text ? { connect: [{ id: Number(text) }], disconnect: [] } : undefined;
  const value = fromInput(text, attribute);
  if (value === null) return undefined;
  if (attribute.type === 'boolean') return value === 'true';
  return NUMBERS.has(attribute.type) ? Number(value) : value;
}

export const mayClear = ({ attribute }: FilterField): boolean => attribute.type !== 'relation' && !attribute.required;

/** Whether the chosen entry is added to the existing relations instead of replacing them. */
export const adds = ({ attribute }: FilterField): boolean => attribute.type === 'relation' && isToMany(attribute);
