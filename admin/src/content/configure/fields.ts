/** The attributes that a form can show, and their options. */
import type { Attribute, Definitions, View } from '../../api/operations';
import { contentTypeOf } from '../model/definitions';

/** Attributes that the server sets, which no form shows. */
const AUTOMATIC = new Set(['id', 'createdAt', 'updatedAt', 'publishedAt', 'createdBy', 'updatedBy', 'locale', 'localizations']);
/** Types that cannot be titles. */
const NO_TITLES = new Set(['password', 'json', 'blocks', 'richtext', 'dynamiczone', 'component', 'media', 'relation']);
const SECRETS = new Set(['resetPasswordToken', 'registrationToken', 'confirmationToken', 'provider']);
const WITH_PLACEHOLDER = new Set([
  'string', 'email', 'text', 'richtext', 'enumeration', 'uid', 'password', 'integer', 'biginteger', 'float', 'decimal', 'relation',
]);
/** Widths of fields in columns, as in v4. */
const SIZES = [4, 6, 8, 12];

export function isPlaceable(name: string, attribute: Attribute | undefined, view: View): boolean {
  return attribute !== undefined && !AUTOMATIC.has(name) && view.metadatas[name]?.edit.visible !== false;
}

export const hasPlaceholder = (attribute: Attribute): boolean => WITH_PLACEHOLDER.has(attribute.type);

/** Return the attributes that can be the title of an entry or component. */
export function titleFields(attributes: Readonly<Record<string, Attribute>>): string[] {
  const found = Object.keys(attributes).filter((name) => !NO_TITLES.has(attributes[name]!.type) && !SECRETS.has(name));
  return found.includes('id') ? found : ['id', ...found];
}

/** Return the attributes that can be the title of a relation's targets; none if it has several content types. */
export function titlesOfTarget(attribute: Attribute, definitions: Definitions): string[] {
  const target = contentTypeOf(definitions, attribute.targetModel ?? attribute.target ?? '');
  return target && attribute.type === 'relation' ? titleFields(target.attributes) : [];
}

export interface Sizing {
  size: number;
  /** The sizes to choose from; one if the size is fixed. */
  sizes: number[];
}

export function sizingOf(attribute: Attribute, definitions: Definitions, present?: number): Sizing {
  const { default: size, isResizable } = definitions.fieldSizes[attribute.type] ?? { default: 6, isResizable: true };
  if (!isResizable) return { size, sizes: [size] };
  return { size, sizes: [...new Set([...SIZES, present ?? size])].sort((one, other) => one - other) };
}
