/**
 * Controls of well-known custom fields. In v4 each field's plugin has its own control. Other custom fields get the
 * control of their stored type.
 */
import type { Attribute } from '../../../api/operations';
import type { FieldKind } from '../registry';
import ColorField from './ColorField.svelte';
import ListedField from './ListedField.svelte';

interface Known {
  /** The stored type. If a project changes it, this control is not used. */
  type: string;
  kind: FieldKind;
}

const COLOR: Known = { type: 'string', kind: { component: ColorField } };
const LISTED: Known = { type: 'string', kind: { component: ListedField } };
const CHOICES: Known = { type: 'json', kind: { load: () => import('./ChoicesField.svelte'), hasOwnFrame: true } };
const TAGS: Known = { type: 'json', kind: { load: () => import('./TagsField.svelte'), hasOwnFrame: true } };

const KNOWN: Readonly<Record<string, Known>> = {
  'plugin::color-picker.color': COLOR,
  'plugin::advanced-color-picker.advanced-color-picker': COLOR,
  'plugin::country-select.country': LISTED,
  'plugin::strapi-plugin-international-fields.country': LISTED,
  'plugin::timezone-select.timezone': LISTED,
  'plugin::multi-select.multi-select': CHOICES,
  'plugin::multi-select.multi-select-default': CHOICES,
  'plugin::tagsinput.tags': TAGS,
  'plugin::string-array.input': TAGS,
};

/** Return the control of a custom field; undefined for fields with the control of their type. */
export function customKindOf({ customField, type }: Attribute): FieldKind | undefined {
  const known = customField === undefined ? undefined : KNOWN[customField];
  return known?.type === type ? known.kind : undefined;
}
