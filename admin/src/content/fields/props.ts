import type { Attribute, EditLook } from '../../api/operations';
import { readableName } from '../../messages/names';
import { hintOf } from './hints';

/** What the component of a field is given. */
export interface FieldProps<Value = unknown> {
  /** Where the value lies in the entry: `seo.metaTitle`, `zone.2.title`. */
  path: string;
  /** Of the control in the page. Its hint and its problem are `{id}-hint` and `{id}-problem`. */
  id: string;
  /** Of the attribute. */
  name: string;
  attribute: Attribute;
  look: EditLook;
  /** To be bound. */
  value: Value | null | undefined;
  problem?: string | undefined;
  /** It may be read, but not written. */
  isDisabled: boolean;
}

/** The id of the control of what lies at a path; what is wrong there takes the reader to it. */
export function fieldId(path: string): string {
  return `field.${path}`;
}

/** What a control's `aria-describedby` is: its problem and its hint, where there are any. */
type Described = Pick<FieldProps, 'id' | 'problem' | 'look'> & { attribute?: Attribute };

export function describedBy({ id, problem, look, attribute }: Described): string | undefined {
  const hint = attribute ? hintOf(attribute, look) : look.description;
  return [problem && `${id}-problem`, hint && `${id}-hint`].filter(Boolean).join(' ') || undefined;
}

/** The label that somebody has given; empty for none. */
export function givenLabel(name: string, look: { label?: string | undefined }): string {
  return look.label === name ? '' : (look.label ?? '');
}

/** What a field is called. A label that is the attribute's name, as v4 writes it, is none. */
export function labelOf(name: string, look: EditLook): string {
  return givenLabel(name, look) || readableName(name);
}
