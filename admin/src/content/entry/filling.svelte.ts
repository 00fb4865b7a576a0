/** Copying of values from another localization into a form. */
import { queries } from '../../app/queries';
import type { Attribute, Definitions } from '../../api/operations';
import { isShared, type EntryForm, type Values } from './form.svelte';
import { partOf } from './merging';
import { entryOptions } from './queries';

/**
 * Copy the localized values of another localization into the form. Each localization has its own relations and uids.
 */
export async function fillFrom(form: EntryForm, id: number): Promise<void> {
  const entry = await queries.fetchQuery(entryOptions(form.type.uid, id, null));
  for (const [name, attribute] of Object.entries(form.type.attributes)) {
    if (!(name in entry) || isShared(attribute) || !isFillable(attribute) || !form.mayWrite(name)) continue;
    form.write(form.values, name, withoutIds(attribute, entry[name], form.definitions), name);
  }
}

/** Whether a field can take its value from the localization beside it. */
export function isCopyable(form: EntryForm, name: string): boolean {
  const attribute = form.attribute(name);
  if (!attribute || !form.counterpart || isShared(attribute) || !isFillable(attribute)) return false;
  return form.mayWrite(name) && form.counterpart.form.mayRead(name);
}

/** Copy a field's value from the form beside this one, saved or not. */
export function copyField(form: EntryForm, from: EntryForm, name: string): void {
  const value = withoutIds(form.attribute(name)!, $state.snapshot(from.values[name]), form.definitions);
  form.write(form.values, name, value, name);
}

const isFillable = (attribute: Attribute): boolean =>
  attribute.writable !== false && !['relation', 'uid', 'password'].includes(attribute.type) && attribute.visible !== false;

/** Return a value without its components' ids, so that saving it creates new components. */
export function withoutIds(attribute: Attribute, value: unknown, definitions: Definitions): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (attribute.type === 'relation') return undefined;
  if (attribute.type !== 'component' && attribute.type !== 'dynamiczone') return structuredClone(value);
  if (Array.isArray(value)) return value.map((item: Values) => partWithoutIds(attribute, item, definitions));
  return partWithoutIds(attribute, value as Values, definitions);
}

function partWithoutIds(attribute: Attribute, item: Values, definitions: Definitions): Values {
  const found: Values = item.__component === undefined ? {} : { __component: item.__component };
  for (const [name, one] of Object.entries(partOf(attribute, item, definitions))) {
    if (name !== 'id' && item[name] !== undefined) found[name] = withoutIds(one, item[name], definitions);
  }
  return found;
}
