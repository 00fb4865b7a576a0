/** What a list can be filtered by: attributes of the entries, and of what they hold and lead to. */
import type { Attribute, Definitions, ContentTypeSchema, View } from '../../api/operations';
import { componentOf, contentTypeOf } from '../model/definitions';
import { columnOf, labelOf, readable } from './columns';
import type { Condition } from './filters';
import { isPicked, operatorsOf } from './operators';

export interface FilterField {
  path: readonly string[];
  /** `author › name` */
  label: string;
  attribute: Attribute;
  /** Of a relation: the attribute that related entries are called by. */
  mainField?: string;
}

export type MayFilter = (path: readonly string[]) => boolean;

/** What is told of administrators to everybody. */
const OF_ADMINISTRATORS = new Set(['id', 'firstname', 'lastname', 'username']);
const HOLDERS = new Set(['relation', 'component']);

/** Whether each step of a path may be read: by what one may not read the service filters nothing. */
export function filterable(type: ContentTypeSchema | undefined, definitions: Definitions, locale: string | null): MayFilter {
  return (path) => {
    const [name, ...rest] = path;
    const attribute = type?.attributes[name ?? ''];
    if (!type || !attribute || !readable(type.uid, locale)(path.join('.'))) return false;
    const target = attribute.type === 'relation' ? attribute.target : undefined;
    if (!rest.length || !target) return true;
    if (target === 'admin::user') return OF_ADMINISTRATORS.has(rest[0] ?? '');
    return filterable(contentTypeOf(definitions, target), definitions, null)(rest);
  };
}

export function filterFields(type: ContentTypeSchema, view: View, definitions: Definitions, mayFilter: MayFilter): FilterField[] {
  const all = Object.entries(type.attributes).flatMap(([name, attribute]) => {
    const label = labelOf(name, view.metadatas[name]?.list.label);
    const field = { path: [name], label, attribute, mainField: columnOf(name, type, view)?.mainField ?? 'id' };
    if (!operatorsOf(attribute).length) return [];
    return HOLDERS.has(attribute.type) ? [field, ...within(field, definitions)] : [field];
  });
  return all.filter(({ path }) => mayFilter(path));
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

/** The field of a condition. A related entry is compared by its id, and shown by its title. */
export function fieldOf(fields: readonly FilterField[], { path, operator }: Condition): FilterField | undefined {
  const relation = operator === '$eq' && path.length === 2 && path[1] === 'id' ? fieldAt(fields, path.slice(0, 1)) : undefined;
  return relation && isPicked(relation.attribute, operator) ? relation : fieldAt(fields, path);
}

/** The path that a condition of the field compares. */
export function comparedPath({ path, attribute }: FilterField, operator: string): readonly string[] {
  return isPicked(attribute, operator) ? [...path, 'id'] : path;
}
