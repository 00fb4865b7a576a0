import type { Attribute, EditLook } from '../../api/operations';
import { readableName } from '../../messages/names';
import { hintOf } from './hints';

/** Props of a field's component. */
export interface FieldProps<Value = unknown> {
  /** The value's path in the entry: `seo.metaTitle`, `zone.2.title`. */
  path: string;
  /** The control's id. The ids of its hint and its error are `{id}-hint` and `{id}-problem`. */
  id: string;
  /** The attribute's name. */
  name: string;
  attribute: Attribute;
  look: EditLook;
  /** Bindable. */
  value: Value | null | undefined;
  problem?: string | undefined;
  /** Whether the user can read the field, but not write it. */
  isDisabled: boolean;
}

/** Return the id of the control at a path, which URLs contain as their hash. */
export function fieldId(path: string): string {
  return `field.${path}`;
}

/** The props that decide the value of `aria-describedby`: the ids of the error and the hint, if there are any. */
type Described = Pick<FieldProps, 'id' | 'problem' | 'look'> & { attribute?: Attribute };

export function describedBy({ id, problem, look, attribute }: Described): string | undefined {
  const hint = attribute ? hintOf(attribute, look) : look.description;
  return [problem && `${id}-problem`, hint && `${id}-hint`].filter(Boolean).join(' ') || undefined;
}

/** Return the configured label. A label equal to the attribute's name, which is v4's default, counts as none. */
export function givenLabel(name: string, look: { label?: string | undefined }): string {
  return look.label === name ? '' : (look.label ?? '');
}

/** Return a field's configured label, or its attribute's name in readable form. */
export function labelOf(name: string, look: EditLook): string {
  return givenLabel(name, look) || readableName(name);
}
