/** Values of a form as the service takes them. */
import type { Attribute, Definitions } from '../../api/operations';
import { componentOf } from '../model/definitions';
import type { Values } from './form.svelte';

/** What the value of a relation is once it was changed; until then it is what the service says (`{count}`). */
export interface RelationChange {
  connect: { id: number; position?: { before?: number; after?: number; start?: boolean; end?: boolean } }[];
  disconnect: { id: number }[];
}

/** The body of the named attributes. What is undefined is not sent. */
export function bodyOf(names: Iterable<string>, values: Values, attributes: Readonly<Record<string, Attribute>>, definitions: Definitions): Values {
  const body: Values = {};
  for (const name of names) {
    const attribute = attributes[name];
    const value = attribute && sent(attribute, values[name], definitions);
    if (value !== undefined) body[name] = value;
  }
  return body;
}

function sent(attribute: Attribute, value: unknown, definitions: Definitions): unknown {
  switch (attribute.type) {
    case 'relation':
      return relation(value);
    case 'media':
      return Array.isArray(value) ? value.map(idOf) : value === null || value === undefined ? value : idOf(value);
    case 'password':
      return value || undefined;
    case 'component': {
      const one = (item: unknown): unknown => component(item as Values, attribute.component ?? '', definitions);
      return Array.isArray(value) ? value.map(one) : value && one(value);
    }
    case 'dynamiczone':
      return Array.isArray(value) ? value.map((item: Values) => component(item, String(item.__component), definitions)) : value;
    default:
      return value;
  }
}

function component(item: Values, uid: string, definitions: Definitions): Values {
  const attributes = componentOf(definitions, uid)?.attributes ?? {};
  const body = bodyOf(Object.keys(attributes), item, attributes, definitions);
  if (item.id !== undefined) body.id = item.id;
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

const idOf = (file: unknown): unknown => (typeof file === 'object' && file !== null ? (file as { id: unknown }).id : file);
