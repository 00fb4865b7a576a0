/**
 * Sections of a content type's form: configured ones, or default ones by kind and name for forms with many fields. Rows
 * and sizes are stored in v4's layout.
 */
import type { Attribute, FormSections, PlacedField, View } from '../../api/operations';
import { joined } from '../configure/rows';

export type SectionKind = 'content' | 'media' | 'relations' | 'seo' | 'settings';

export interface Section {
  key: string;
  /** Empty for default sections, which are named by their kind. */
  label: string;
  kind: SectionKind | null;
  rows: PlacedField[][];
}
export interface SectionLayout {
  display: FormSections['display'];
  /** At least two sections, or one with the whole form. */
  sections: Section[];
}

type Attributes = Readonly<Record<string, Attribute>>;

/** Forms with more fields have tabs by default. */
export const MANY_FIELDS = 12;
/** A form with fewer default sections is not divided. */
const FEWEST_SECTIONS = 3;
const KINDS: readonly SectionKind[] = ['content', 'media', 'relations', 'seo', 'settings'];
const SEO = /^(seo|meta[A-Z_]|og[A-Z_]|openGraph|twitter|canonical|robots|sitemap|noIndex|structuredData)|(^|\.)seo$|metaTitle|metaDescription/;
const SETTINGS = /^(is|has|show|hide|allow|enable|disable|use)[A-Z_]|(settings?|options?|config(uration)?)$/i;
const SETTING_TYPES = new Set(['boolean', 'json', 'password']);

/** Return the layout of a form with those fields that are shown. */
export function layoutOf(view: View, attributes: Attributes, isShown: (name: string) => boolean): SectionLayout {
  const rows = view.layouts.edit.map((row) => row.filter(({ name }) => isShown(name))).filter((row) => row.length > 0);
  const { display = 'tabs', items } = view.sections ?? {};
  const given = items ? givenSections(items, rows) : defaultSections(rows, attributes);
  const sections = given.filter((section) => section.rows.length > 0);
  if (display === 'form' || sections.length < 2) return { display: 'form', sections: [{ key: 'all', label: '', kind: null, rows }] };
  return { display, sections };
}

/** Return default sections by kind and name; one section for a form with few fields. */
export function defaultSections(rows: readonly PlacedField[][], attributes: Attributes): Section[] {
  const fields = rows.flat();
  const kinds = new Map(fields.map(({ name }) => [name, kindOf(name, attributes[name]!)]));
  for (const { name } of fields) {
    const target = attributes[name]!.targetField; // a uid stays with its target field
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

/** Return the configured sections. A field in none of them belongs to the section of the field before it. */
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
