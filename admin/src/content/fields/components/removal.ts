/** Removal of components, with undo and keyboard focus. */
import type { Attribute, Definitions } from '../../../api/operations';
import { t } from '../../../messages/index.svelte';
import { note } from '../../../ui/toasts.svelte';
import { newComponent } from '../../entry/defaults';
import type { EntryForm, Values } from '../../entry/form.svelte';
import { componentOf } from '../../model/definitions';
import { copyOf } from './items.svelte';

/** Milliseconds that menus and dialogs need to return the focus. */
const CLOSING = 60;

interface Removed {
  form: EntryForm;
  item: Values;
  uid: string;
  name: string;
  /** Restore the component. After a save it is a new one, because the server has deleted the original. */
  restore: (item: Values) => void;
}

/**
 * Offer to undo the removal of a component with more than default values. Return the notification's id, if there is
 * one.
 */
export function offerUndo({ form, item, uid, name, restore }: Removed): number | undefined {
  const { definitions, original } = form;
  if (!isFilled(item, uid, definitions)) return undefined;
  const run = (): void => {
    const zoned = item.__component === undefined ? {} : { __component: item.__component };
    restore(form.original === original ? item : { ...zoned, ...copyOf(item, uid, definitions) });
  };
  return note(t('field.component.removed', { name }), { label: t('ui.undo'), run });
}

/** Return whether a component has values that a new one lacks. Unknown components count as filled. */
export function isFilled(item: Values, uid: string, definitions: Definitions): boolean {
  const component = componentOf(definitions, uid);
  if (!component) return true;
  const usual = newComponent(uid, definitions);
  return Object.entries(component.attributes).some(([name, attribute]) => hasContent(attribute, item[name], usual[name], definitions));
}

function hasContent(attribute: Attribute, value: unknown, usual: unknown, definitions: Definitions): boolean {
  if (value === null || value === undefined || value === '') return false;
  switch (attribute.type) {
    case 'relation': {
      const { shown, count } = value as { shown?: unknown[]; count?: number };
      return (shown?.length ?? count ?? 0) > 0;
    }
    case 'component': {
      const items = [value].flat() as Values[];
      const fresh = Array.isArray(usual) ? usual.length : 1;
      return items.length > fresh || items.some((one) => isFilled(one, attribute.component ?? '', definitions));
    }
    default:
      return Array.isArray(value) && !value.length ? false : JSON.stringify(value) !== JSON.stringify(usual ?? null);
  }
}

/** Focus a control after menus and dialogs have closed. */
export function focusLater(id: string): void {
  setTimeout(() => document.getElementById(id)?.focus(), CLOSING);
}
