/** Items of component fields: titles, copies, and whether they are expanded. */
import type { Attribute, Definitions } from '../../../api/operations';
import { componentOf } from '../../model/definitions';
import type { Values } from '../../entry/form.svelte';

/**
 * Return a copy without ids, so that the server creates a new component. Relations are left out, because the form does
 * not know all their links.
 */
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

/** Return a component's display name. */
export const kindOf = (definitions: Definitions, uid: string): string => componentOf(definitions, uid)?.info.displayName ?? uid;

/** Return an item's title: the value of its main field, or an empty text. */
export function titleOf(item: Values, mainField: string | undefined): string {
  const value = mainField === undefined || mainField === 'id' ? undefined : item[mainField];
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 120) : '';
}

const opened = new Map<string, boolean>();
const fresh = new WeakMap<object, boolean>();

/** Return whether an item was expanded when it was last shown. Saved items are recognized by their id. */
export function wasOpen(uid: string, item: Values): boolean | undefined {
  return fresh.get(item) ?? opened.get(`${uid}:${String(item.id)}`);
}

export function rememberOpen(uid: string, item: Values, isOpen: boolean): void {
  fresh.set(item, isOpen);
  if (item.id !== undefined) opened.set(`${uid}:${String(item.id)}`, isOpen);
}
