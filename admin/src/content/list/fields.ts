/** The fields that a list can be filtered by: attributes of the entries, of their components and of related entries. */
import type { Attribute, Definitions, ContentTypeSchema, View } from '../../api/operations';
import { componentOf, contentTypeOf } from '../model/definitions';
import { columnOf, labelOf, readable } from './columns';
import type { Condition } from './filters';
import { isPicked, operatorsOf } from './operators';

export interface FilterField {
  path: readonly string[];
  /** For example `author › name`. */
  label: string;
  attribute: Attribute;
  /** For relations: the attribute that is the title of related entries. */
  mainField?: string;
}

export type MayFilter = (path: readonly string[]) => boolean;

/** The attributes of administrators that every user can read. */
const OF_ADMINISTRATORS = new Set(['id', 'firstname', 'lastname', 'username']);
const HOLDERS = new Set(['relation', 'component']);

/** Return a check whether the user can read each attribute of a path; the server ignores filters by others. */
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

/** Return the fields one level deeper: of the related type or the component. */
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

/**
 * Return the field of a condition. Conditions on a related entry's id belong to the relation, which shows the title.
 */
export function fieldOf(fields: readonly FilterField[], { path, operator }: Condition): FilterField | undefined {
  const relation = operator === '$eq' && path.length === 2 && path[1] === 'id' ? fieldAt(fields, path.slice(0, 1)) : undefined;
  return relation && isPicked(relation.attribute, operator) ? relation : fieldAt(fields, path);
}

/** Return the path that a condition on the field compares. */
export function comparedPath({ path, attribute }: FilterField, operator: string): readonly string[] {
  return isPicked(attribute, operator) ? [...path, 'id'] : path;
}
