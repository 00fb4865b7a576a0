/** Initial values of new entries and components. */
import type { Attribute, Definitions } from '../../api/operations';
import { componentOf } from '../model/definitions';
import type { Values } from './form.svelte';

/** Return the attributes' defaults and required components. */
export function defaultsOf(attributes: Readonly<Record<string, Attribute>>, definitions: Definitions, depth = 0): Values {
  const found: Values = {};
  for (const [name, attribute] of Object.entries(attributes)) {
    const value = defaultOf(attribute, definitions, depth);
    if (value !== undefined) found[name] = value;
  }
  return found;
}

function defaultOf(attribute: Attribute, definitions: Definitions, depth: number): unknown {
  if (attribute.type === 'component' && attribute.required && attribute.component && depth < 10) {
    const least = attribute.repeatable ? Number(attribute.min ?? 0) : 1;
    const items = Array.from({ length: Math.min(least, 100) }, () => newComponent(attribute.component!, definitions, depth + 1));
    return attribute.repeatable ? items : items[0];
  }
  return attribute.default === undefined ? undefined : structuredClone(attribute.default);
}

/** Return a new component's values. In a dynamic zone, the caller adds `__component`. */
export function newComponent(uid: string, definitions: Definitions, depth = 0): Values {
  return defaultsOf(componentOf(definitions, uid)?.attributes ?? {}, definitions, depth);
}
