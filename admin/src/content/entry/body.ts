/** The request body of a form. */
import type { Attribute, Definitions } from '../../api/operations';
import { componentOf } from '../model/definitions';
import type { RelationWork } from '../fields/relations/work';
import { isExclusive, type EntryForm, type Values } from './form.svelte';

/** The value of a changed relation. An unchanged one has the server's value (`{count}`). */
export interface RelationChange {
  connect: { id: number; position?: { before?: number; after?: number; start?: boolean; end?: boolean } }[];
  disconnect: { id: number }[];
}

/** Return the body for the named attributes, without undefined values. */
export function bodyOf(
  names: Iterable<string>,
  values: Values,
  attributes: Readonly<Record<string, Attribute>>,
  definitions: Definitions,
  isCopy = false,
): Values {
  const body: Values = {};
  for (const name of names) {
    const attribute = attributes[name];
    const value = attribute && sent(attribute, values[name], definitions, isCopy);
    if (value !== undefined) body[name] = value;
  }
  return body;
}

function sent(attribute: Attribute, value: unknown, definitions: Definitions, isCopy: boolean): unknown {
  switch (attribute.type) {
    case 'relation':
      return relation(value);
    case 'media':
      return Array.isArray(value) ? value.map(idOf) : value === null || value === undefined ? value : idOf(value);
    case 'password':
      return value || undefined;
    case 'component': {
      const one = (item: unknown): unknown => component(item as Values, attribute.component ?? '', definitions, isCopy);
      return Array.isArray(value) ? value.map(one) : value && one(value);
    }
    case 'dynamiczone':
      return Array.isArray(value) ? value.map((item: Values) => component(item, String(item.__component), definitions, isCopy)) : value;
    default:
      return value;
  }
}

function component(item: Values, uid: string, definitions: Definitions, isCopy: boolean): Values {
  const attributes = componentOf(definitions, uid)?.attributes ?? {};
  const body = bodyOf(Object.keys(attributes), item, attributes, definitions, isCopy);
  if (item.id !== undefined) body.id = item.id;
  else if (isCopy) body.id = null; // a new component: without an id the server would match it to the original's by position
  if (item.__component !== undefined) body.__component = item.__component;
  return body;
}

function relation(value: unknown): RelationChange | undefined {
  const change = value as Partial<RelationChange> | null | undefined;
  if (!change || (!change.connect && !change.disconnect)) return undefined;
  return {
    connect: (change.connect ?? []).map(({ id, position }) => (position ? { id, position } : { id })),
    disconnect: (change.disconnect ?? []).map(({ id }) => ({ id })),
  };
}

/**
 * Return a copy's exclusive relations with the form's links only, because the server would move the original's links.
 */
export function exclusiveLinks(form: EntryForm): Values {
  const names = Object.keys(form.type.attributes).filter((name) => isExclusive(form.attribute(name)) && form.mayWrite(name));
  return Object.fromEntries(names.map((name) => [name, linksOf(form.attribute(name)!, form.values[name])]));
}

function linksOf(attribute: Attribute, value: unknown): number[] | number | null {
  const ids = ((value as Partial<RelationWork> | null | undefined)?.shown ?? []).map(({ id }) => id);
  return (attribute.relationType ?? attribute.relation ?? '').toLowerCase().endsWith('many') ? ids : (ids[0] ?? null);
}

const idOf = (file: unknown): unknown => (typeof file === 'object' && file !== null ? (file as { id: unknown }).id : file);
