/** The columns of lists: available ones, visible ones, labels and widths. */
import type { Attribute, ContentTypeSchema, View } from '../../api/operations';
import { t } from '../../messages/index.svelte';
import { readableName } from '../../messages/names';
import { session } from '../../app/session.svelte';
import { fieldRights, type MayTouch } from '../entry/rights';
import { bounded } from '../../ui/table';
import { isToMany } from './relations';

export interface ListColumn {
  name: string;
  label: string;
  attribute: Attribute;
  /** Whether its values can be ordered. The list is sortable by it unless the view forbids that. */
  isOrdered: boolean;
  isSortable: boolean;
  /** The attribute that is the title of related entries. */
  mainField: string;
}

/** Types without a column, as in v4, and types that cannot be sorted. */
const HIDDEN = new Set(['password', 'json', 'blocks', 'richtext', 'dynamiczone']);
const UNORDERED = new Set(['media', 'component']);
const NUMBERS = new Set(['integer', 'biginteger', 'float', 'decimal']);

/** Attributes that the server sets. Everybody who can read the entry can read them. */
const AUTOMATIC = new Set(['id', 'createdAt', 'updatedAt', 'publishedAt', 'createdBy', 'updatedBy', 'locale']);

/** Return a check for the attributes that the user can read; the server ignores filters and sorts by others. */
export function readable(uid: string, locale: string | null): MayTouch {
  const mayRead = fieldRights(session.rights, 'read', uid, locale);
  return (path) => AUTOMATIC.has(path.split('.')[0] ?? path) || mayRead(path);
}

export const isNumber = (attribute: Attribute): boolean => NUMBERS.has(attribute.type);

export function columnOf(name: string, type: ContentTypeSchema, view: View, mayRead: MayTouch = () => true): ListColumn | undefined {
  const attribute = type.attributes[name];
  if (!attribute || HIDDEN.has(attribute.type) || name === 'localizations' || !mayRead(name)) return undefined;
  const look = view.metadatas[name];
  const isOrdered = !UNORDERED.has(attribute.type) && !(attribute.type === 'relation' && isToMany(attribute));
  return {
    name,
    label: labelOf(name, look?.list.label),
    attribute,
    isOrdered,
    isSortable: isOrdered && look?.list.sortable !== false,
    mainField: look?.list.mainField ?? look?.edit.mainField ?? 'id',
  };
}

/**
 * Return the configured label, the translated one of a built-in attribute, or the attribute's name in readable form.
 */
export function labelOf(name: string, label: string | undefined): string {
  if (label && label !== name) return label;
  switch (name) {
    case 'id':
      return t('list.id');
    case 'createdAt':
      return t('list.createdAt');
    case 'updatedAt':
      return t('list.updatedAt');
    case 'publishedAt':
      return t('list.publishedAt');
    case 'createdBy':
      return t('list.createdBy');
    case 'updatedBy':
      return t('list.updatedBy');
    default:
      return readableName(name);
  }
}

/** Return all available columns in the definition's order. */
export function allColumns(type: ContentTypeSchema, view: View, mayRead?: MayTouch): ListColumn[] {
  return Object.keys(type.attributes).flatMap((name) => columnOf(name, type, view, mayRead) ?? []);
}

const key = (uid: string): string => `octavo.columns.${session.user?.id ?? 0}.${uid}`;

/** Return the columns that the user has chosen in this browser; null for those of the view. */
export function rememberedColumns(uid: string): string[] | null {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(key(uid)) ?? 'null');
    return Array.isArray(found) && found.every((name) => typeof name === 'string') ? found : null;
  } catch {
    return null;
  }
}

export function rememberColumns(uid: string, names: readonly string[] | null): void {
  if (names === null) localStorage.removeItem(key(uid));
  else localStorage.setItem(key(uid), JSON.stringify(names));
}

const WIDTHS: Readonly<Record<string, number>> = {
  boolean: 104, integer: 112, biginteger: 128, float: 112, decimal: 112, date: 136, time: 112, datetime: 192, timestamp: 192,
  media: 104, enumeration: 128, relation: 176, component: 128,
};
const WIDTH = 224;
const LETTER = 8;
/** The cell's padding and the sort arrow, in pixels. */
const AROUND = 52;
const WIDEST_LABEL = 256;

/** Return a column's initial width in pixels, for its type and label. */
export function firstWidth({ name, label, attribute }: ListColumn, isTitle: boolean): number {
  const values = name === 'id' ? 72 : name === 'createdAt' || name === 'updatedAt' ? 144 : (WIDTHS[attribute.type] ?? WIDTH);
  return Math.max(values, isTitle ? 280 : 0, Math.min(label.length * LETTER + AROUND, WIDEST_LABEL));
}

const widthsKey = (uid: string): string => `octavo.widths.${session.user?.id ?? 0}.${uid}`;

/** Return the column widths that the user has set in this browser. */
export function rememberedWidths(uid: string): Record<string, number> {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(widthsKey(uid)) ?? '{}');
    const widths = Object.entries(found ?? {}).filter((one): one is [string, number] => Number.isFinite(one[1]));
    return Object.fromEntries(widths.map(([name, width]) => [name, bounded(width)]));
  } catch {
    return {};
  }
}

export function rememberWidths(uid: string, widths: Readonly<Record<string, number>>): void {
  if (Object.keys(widths).length) localStorage.setItem(widthsKey(uid), JSON.stringify(widths));
  else localStorage.removeItem(widthsKey(uid));
}
