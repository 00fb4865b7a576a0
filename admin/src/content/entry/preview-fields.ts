/** A form's values for the front end, in the format of the REST API. */
import type { Attribute, EditLook, MediaFile } from '../../api/operations';
import type { RelationWork } from '../fields/relations/work';
import { componentOf } from '../model/definitions';
import type { EntryForm, Values } from './form.svelte';

type Attributes = Readonly<Record<string, Attribute>>;

/** Return values without passwords, private attributes and unchanged relations. */
export function previewFields(form: EntryForm, values: Values): Values {
  const looks = form.views.contentType.metadatas as Readonly<Record<string, { edit?: EditLook } | undefined>>;
  const fields = fieldsOf(form, form.type.attributes, values, (name) => looks[name]?.edit?.mainField);
  return JSON.parse(JSON.stringify(fields)) as Values; // messages cannot contain the form's proxies
}

function fieldsOf(form: EntryForm, attributes: Attributes, values: Values, mainField: (name: string) => string | undefined): Values {
  const fields: Values = {};
  for (const [name, attribute] of Object.entries(attributes)) {
    if (attribute.private || attribute.type === 'password' || values[name] === undefined) continue;
    const value = fieldOf(form, attribute, values[name], mainField(name));
    if (value !== undefined) fields[name] = value;
  }
  return fields;
}

function fieldOf(form: EntryForm, attribute: Attribute, value: unknown, mainField: string | undefined): unknown {
  switch (attribute.type) {
    case 'media':
      return { data: Array.isArray(value) ? value.map(file) : value ? file(value) : null, removed: null };
    case 'relation':
      return relation(attribute, value as Partial<RelationWork> | null, mainField);
    case 'component':
      return Array.isArray(value)
        ? value.map((item) => component(form, attribute.component, item as Values))
        : value && component(form, attribute.component, value as Values);
    case 'dynamiczone':
      return Array.isArray(value) ? value.map((item: Values) => component(form, String(item.__component), item)) : value;
    default:
      return value;
  }
}

function component(form: EntryForm, uid: string | undefined, item: Values): Values {
  const attributes = componentOf(form.definitions, uid ?? '')?.attributes ?? {};
  const { id, __component } = item;
  return { ...(id === undefined ? {} : { id }), ...(__component === undefined ? {} : { __component }), ...fieldsOf(form, attributes, item, () => undefined) };
}

const file = (given: unknown): unknown => {
  const { id, folder: _, ...attributes } = given as MediaFile;
  return { id, attributes };
};

/** Return the known links and the removed ones. The front end keeps its other links. */
function relation(attribute: Attribute, work: Partial<RelationWork> | null, mainField: string | undefined): unknown {
  if (!work?.shown) return undefined;
  const links = work.shown.map(({ id, title }) => ({ id, attributes: mainField && mainField !== 'id' ? { [mainField]: title } : {} }));
  const isMany = (attribute.relationType ?? attribute.relation ?? '').toLowerCase().endsWith('many');
  return isMany ? { data: links, removed: (work.disconnect ?? []).map(({ id }) => id) } : { data: links[0] ?? null, removed: null };
}
