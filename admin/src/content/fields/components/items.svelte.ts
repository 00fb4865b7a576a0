/** Components as values of a form: what they are called, copies, and what is remembered of them. */
import type { Attribute, Definitions } from '../../../api/operations';
import { componentOf } from '../../model/definitions';
import type { Values } from '../../entry/form.svelte';

/** A copy that the service takes for a new component: without ids. Links of relations are not copied: they are not known. */
export function copyOf(item: Values, uid: string, definitions: Definitions): Values {
  const copy: Values = {};
  const attributes = componentOf(definitions, uid)?.attributes ?? {};
  for (const [name, value] of Object.entries(item)) {
    if (name === 'id') continue;
    copy[name] = copied(attributes[name], value, definitions);
  }
  return copy;
}

function copied(attribute: Attribute | undefined, value: unknown, definitions: Definitions): unknown {
  const part = (item: unknown, uid: string): unknown => (isObject(item) ? copyOf(item, uid, definitions) : item);
  switch (attribute?.type) {
    case 'relation':
      return undefined;
    case 'component':
      return Array.isArray(value) ? value.map((item) => part(item, attribute.component ?? '')) : part(value, attribute.component ?? '');
    default:
      return $state.snapshot(value);
  }
}

const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value);

/** What components of a kind are called. */
export const kindOf = (definitions: Definitions, uid: string): string => componentOf(definitions, uid)?.info.displayName ?? uid;

/** What an item is called: the text of its main field. */
export function titleOf(item: Values, mainField: string | undefined): string {
  const value = mainField === undefined || mainField === 'id' ? undefined : item[mainField];
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 120) : '';
}

const opened = new Map<string, boolean>();
const fresh = new WeakMap<object, boolean>();

/** Whether an item was open when it was last seen; what was saved is known by its id. */
export function wasOpen(uid: string, item: Values): boolean | undefined {
  return fresh.get(item) ?? opened.get(`${uid}:${String(item.id)}`);
}

export function rememberOpen(uid: string, item: Values, isOpen: boolean): void {
  fresh.set(item, isOpen);
  if (item.id !== undefined) opened.set(`${uid}:${String(item.id)}`, isOpen);
}
