/**
 * The owner of a relation: the entry, or the component in it that contains the field. The API identifies links by it.
 */
import type { Attribute } from '../../../api/operations';
import type { EntryForm, Values } from '../../entry/form.svelte';
import { componentOf } from '../../model/definitions';

export interface Owner {
  uid: string;
  /** For an unsaved copy, the original's id. Null if there are no links yet. */
  id: number | null;
}

/** Return the owner of the attribute at a path (`blocks.2.articles`). */
export function ownerOf(form: EntryForm, path: string): Owner {
  let attributes: Readonly<Record<string, Attribute>> = form.type.attributes;
  let at: Values | undefined = form.values;
  let owner: Owner = { uid: form.type.uid, id: form.id ?? (form.isLeftOut(path) ? null : form.origin) };
  const steps = path.split('.');
  for (let index = 0; index < steps.length - 1; index++) {
    const attribute: Attribute | undefined = attributes[steps[index]!];
    let value = at?.[steps[index]!] as Values | Values[] | undefined;
    if (Array.isArray(value)) value = value[Number(steps[++index])];
    at = value as Values | undefined;
    const uid: string = attribute?.type === 'dynamiczone' ? String(at?.__component) : (attribute?.component ?? '');
    owner = { uid, id: typeof at?.id === 'number' ? at.id : null };
    attributes = componentOf(form.definitions, uid)?.attributes ?? {};
  }
  return owner;
}
