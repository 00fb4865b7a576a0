/**
 * Sections of a content type's form: as an administrator has named them, or by kind and name for a form with many fields.
 * Rows and sizes stay in v4's layout; a section has those of its fields.
 */
import type { Attribute, FormSections, PlacedField, View } from '../../api/operations';
import { joined } from '../configure/rows';

export type SectionKind = 'content' | 'media' | 'relations' | 'seo' | 'settings';

export interface Section {
  key: string;
  /** Empty for sections that are named by their kind. */
  label: string;
  kind: SectionKind | null;
  rows: PlacedField[][];
}
export interface SectionLayout {
  display: FormSections['display'];
  /** At least two, or one that holds the whole form. */
  sections: Section[];
}

type Attributes = Readonly<Record<string, Attribute>>;

/** Forms with more fields have tabs, unless an administrator has chosen otherwise. */
export const MANY_FIELDS = 12;
/** Fewer sections hide more than they order. */
const FEWEST_SECTIONS = 3;
const KINDS: readonly SectionKind[] = ['content', 'media', 'relations', 'seo', 'settings'];
const SEO = /^(seo|meta[A-Z_]|og[A-Z_]|openGraph|twitter|canonical|robots|sitemap|noIndex|structuredData)|(^|\.)seo$|metaTitle|metaDescription/;
const SETTINGS = /^(is|has|show|hide|allow|enable|disable|use)[A-Z_]|(settings?|options?|config(uration)?)$/i;
const SETTING_TYPES = new Set(['boolean', 'json', 'password']);

/** The layout of a form that shows some of the fields of its view. */
export function layoutOf(view: View, attributes: Attributes, isShown: (name: string) => boolean): SectionLayout {
  const rows = view.layouts.edit.map((row) => row.filter(({ name }) => isShown(name))).filter((row) => row.length > 0);
  const { display = 'tabs', items } = view.sections ?? {};
  const given = items ? givenSections(items, rows) : defaultSections(rows, attributes);
  const sections = given.filter((section) => section.rows.length > 0);
  if (display === 'form' || sections.length < 2) return { display: 'form', sections: [{ key: 'all', label: '', kind: null, rows }] };
  return { display, sections };
}

/** Sections by kind and name; one for a form with few fields. */
export function defaultSections(rows: readonly PlacedField[][], attributes: Attributes): Section[] {
  const fields = rows.flat();
  const kinds = new Map(fields.map(({ name }) => [name, kindOf(name, attributes[name]!)]));
  for (const { name } of fields) {
    const target = attributes[name]!.targetField; // a uid stays beside the field that it is made of
    if (target && kinds.has(target)) kinds.set(name, kinds.get(target)!);
  }
  for (const kind of KINDS) {
    const names = fields.filter(({ name }) => kinds.get(name) === kind).map(({ name }) => name);
    if (names.length === 1 && !attributes[names[0]!]!.component) kinds.set(names[0]!, 'content');
  }
  const present = KINDS.filter((kind) => [...kinds.values()].includes(kind));
  const isFew = fields.length <= MANY_FIELDS || present.length < FEWEST_SECTIONS;
  if (isFew) return [{ key: 'content', label: '', kind: 'content', rows: [...rows] }];
  return present.map((kind) => ({ key: kind, label: '', kind, rows: joined(rows, ({ name }) => kinds.get(name) === kind) }));
}

/** Sections as they are configured. A field without one belongs to that of the field before it. */
export function givenSections(items: FormSections['items'], rows: readonly PlacedField[][]): Section[] {
  const chosen = new Map(items.flatMap(({ fields }, index) => fields.map((name) => [name, index] as const)));
  const places = new Map<string, number>();
  let last = 0;
  for (const { name } of rows.flat()) places.set(name, (last = chosen.get(name) ?? last));
  return items.map(({ label }, index) => ({
    key: `${index}`,
    label,
    kind: null,
    rows: joined(rows, ({ name }) => places.get(name) === index),
  }));
}

function kindOf(name: string, attribute: Attribute): SectionKind {
  if (SEO.test(name) || SEO.test(attribute.component ?? '')) return 'seo';
  if (attribute.type === 'media') return 'media';
  if (attribute.type === 'relation') return 'relations';
  if (attribute.required) return 'content';
  return SETTING_TYPES.has(attribute.type) || SETTINGS.test(name) ? 'settings' : 'content';
}
