/** What a list can be filtered by: attributes of the entries, and of what they hold and lead to. */
import type { Attribute, Definitions, ToldContentType, View } from '../../api/operations';
import { componentOf, contentTypeOf } from '../model/definitions';
import type { MayTouch } from '../entry/rights';
import { labelOf } from './columns';
import { operatorsOf } from './operators';

export interface FilterField {
  path: readonly string[];
  /** `author › name` */
  label: string;
  attribute: Attribute;
}

/** What is told of administrators to everybody. */
const OF_ADMINISTRATORS = new Set(['id', 'firstname', 'lastname', 'username']);
const HOLDERS = new Set(['relation', 'component']);

export function filterFields(type: ToldContentType, view: View, definitions: Definitions, mayRead: MayTouch): FilterField[] {
  const all = Object.entries(type.attributes).flatMap(([name, attribute]) => {
    const field = { path: [name], label: labelOf(name, view.metadatas[name]?.list.label), attribute };
    if (!operatorsOf(attribute).length) return [];
    return HOLDERS.has(attribute.type) ? [field, ...within(field, definitions)] : [field];
  });
  return all.filter(({ path }) => mayRead(path.join('.')));
}

/** One step further: through a relation, or into a component. */
function within(field: FilterField, definitions: Definitions): FilterField[] {
  const { attribute, path, label } = field;
  const definition =
    attribute.type === 'component' ? componentOf(definitions, attribute.component ?? '') : contentTypeOf(definitions, attribute.target ?? '');
  return Object.entries(definition?.attributes ?? {})
    .filter(([name]) => attribute.target !== 'admin::user' || OF_ADMINISTRATORS.has(name))
    .filter(([, inner]) => !HOLDERS.has(inner.type) && operatorsOf(inner).length)
    .map(([name, inner]) => ({ path: [...path, name], label: `${label} › ${labelOf(name, undefined)}`, attribute: inner }));
}

export function fieldAt(fields: readonly FilterField[], path: readonly string[]): FilterField | undefined {
  return fields.find((field) => field.path.join('.') === path.join('.'));
}
