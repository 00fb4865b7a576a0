/** The components that edit attributes, by type. Large ones are loaded when a form has such a field. */
import type { Component } from 'svelte';
import type { Attribute } from '../../api/operations';
import type { FieldProps } from './props';
import ComponentField from './components/ComponentField.svelte';
import ZoneField from './components/ZoneField.svelte';
import MediaField from './media/MediaField.svelte';
import { customKindOf } from './custom/kinds';
import RelationField from './relations/RelationField.svelte';
import BooleanField from './BooleanField.svelte';
import EnumerationField from './EnumerationField.svelte';
import LongTextField from './LongTextField.svelte';
import MomentField from './MomentField.svelte';
import NumberField from './NumberField.svelte';
import PasswordField from './PasswordField.svelte';
import TextField from './TextField.svelte';
import UidField from './UidField.svelte';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- each field has its own type of values
export type FieldComponent = Component<FieldProps<any>, object, 'value'>;

export interface FieldKind {
  component?: FieldComponent;
  load?: () => Promise<{ default: FieldComponent }>;
  /** Whether the component renders its own FieldFrame, because it has more than one control. */
  hasOwnFrame?: boolean;
}

const KINDS: Readonly<Record<string, FieldKind>> = {
  string: { component: TextField },
  email: { component: TextField },
  text: { component: LongTextField },
  richtext: { load: () => import('./markdown/MarkdownField.svelte'), hasOwnFrame: true },
  enumeration: { component: EnumerationField },
  boolean: { component: BooleanField, hasOwnFrame: true },
  uid: { component: UidField },
  password: { component: PasswordField },
  date: { component: MomentField },
  time: { component: MomentField },
  datetime: { component: MomentField },
  timestamp: { component: MomentField },
  integer: { component: NumberField },
  biginteger: { component: NumberField },
  float: { component: NumberField },
  decimal: { component: NumberField },
  component: { component: ComponentField, hasOwnFrame: true },
  dynamiczone: { component: ZoneField, hasOwnFrame: true },
  relation: { component: RelationField, hasOwnFrame: true },
  media: { component: MediaField, hasOwnFrame: true },
  blocks: { load: () => import('./blocks/BlocksField.svelte'), hasOwnFrame: true },
  json: { load: () => import('./json/JsonField.svelte'), hasOwnFrame: true },
};

/** Return the component for an attribute, by its custom field or its type; undefined if there is none. */
export function kindOf(attribute: Attribute): FieldKind | undefined {
  return customKindOf(attribute) ?? KINDS[attribute.type];
}
