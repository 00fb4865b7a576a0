/** Which attributes a form can show, and what can be said of each. */
import type { Attribute, Definitions, View } from '../../api/operations';
import { contentTypeOf } from '../model/definitions';

/** What the service writes by itself stands in no form. */
const AUTOMATIC = new Set(['id', 'createdAt', 'updatedAt', 'publishedAt', 'createdBy', 'updatedBy', 'locale', 'localizations']);
/** What no title shows. */
const NO_TITLES = new Set(['password', 'json', 'blocks', 'richtext', 'dynamiczone', 'component', 'media', 'relation']);
const SECRETS = new Set(['resetPasswordToken', 'registrationToken', 'confirmationToken', 'provider']);
const WITH_PLACEHOLDER = new Set([
  'string', 'email', 'text', 'richtext', 'enumeration', 'uid', 'password', 'integer', 'biginteger', 'float', 'decimal', 'relation',
]);
/** Parts of a row, as v4 offers them. */
const SIZES = [4, 6, 8, 12];

export function isPlaceable(name: string, attribute: Attribute | undefined, view: View): boolean {
  return attribute !== undefined && !AUTOMATIC.has(name) && view.metadatas[name]?.edit.visible !== false;
}

export const hasPlaceholder = (attribute: Attribute): boolean => WITH_PLACEHOLDER.has(attribute.type);

/** What an entry, or a component, can be called by. */
export function titleFields(attributes: Readonly<Record<string, Attribute>>): string[] {
  const found = Object.keys(attributes).filter((name) => !NO_TITLES.has(attributes[name]!.type) && !SECRETS.has(name));
  return found.includes('id') ? found : ['id', ...found];
}

/** By what a relation's entries are called; nothing where it leads to several content-types. */
export function titlesOfTarget(attribute: Attribute, definitions: Definitions): string[] {
  const target = contentTypeOf(definitions, attribute.targetModel ?? attribute.target ?? '');
  return target && attribute.type === 'relation' ? titleFields(target.attributes) : [];
}

export interface Sizing {
  size: number;
  /** What can be chosen; one where it is fixed. */
  sizes: number[];
}

export function sizingOf(attribute: Attribute, definitions: Definitions, present?: number): Sizing {
  const { default: size, isResizable } = definitions.fieldSizes[attribute.type] ?? { default: 6, isResizable: true };
  if (!isResizable) return { size, sizes: [size] };
  return { size, sizes: [...new Set([...SIZES, present ?? size])].sort((one, other) => one - other) };
}
