/** The sections of a form in its configuration, as groups of rows. A form without sections is one group. */
import type { Attribute, FormSections, PlacedField, View } from '../../api/operations';
import { t } from '../../messages/index.svelte';
import { nameOf } from '../entry/sections.svelte';
import { defaultSections, givenSections } from '../model/sections';

export interface Group {
  label: string;
  rows: PlacedField[][];
}
/** `auto` means default sections by kind and name, if the form has many fields. */
export type DisplayChoice = FormSections['display'] | 'auto';
export interface Grouped {
  display: DisplayChoice;
  groups: Group[];
}

export const DISPLAYS = ['auto', 'form', 'sections', 'tabs'] as const;
/** The server's limit. */
export const MOST_SECTIONS = 50;

export const hasSections = (display: DisplayChoice): boolean => display === 'sections' || display === 'tabs';

/** Return a section's name, or a numbered title if it has none. */
export const titleOf = ({ label }: Pick<Group, 'label'>, index: number): string => label.trim() || t('view.section.unnamed', { number: index + 1 });

export function groupsOf({ sections, layouts }: View): Grouped {
  const display = sections?.display ?? 'auto';
  if (!sections?.items.length || !hasSections(display)) return { display, groups: [{ label: '', rows: layouts.edit }] };
  return { display, groups: givenSections(sections.items, layouts.edit).map(({ label, rows }) => ({ label, rows })) };
}

/** Return the groups for another display: the saved sections, or the default ones. */
export function regrouped({ display, groups }: Grouped, next: DisplayChoice, view: View, attributes: Readonly<Record<string, Attribute>>): Group[] {
  if (hasSections(display) === hasSections(next)) return groups;
  const rows = groups.flatMap((group) => group.rows);
  if (!hasSections(next)) return [{ label: '', rows }];
  const items = view.sections?.items ?? [];
  const sections = items.length ? givenSections(items, rows) : defaultSections(rows, attributes);
  return sections.map((section) => ({ label: nameOf(section), rows: section.rows }));
}

/** Return the sections for the request; none for `auto`. */
export function sectionsOf({ display, groups }: Grouped): { sections?: FormSections } {
  if (display === 'auto') return {};
  const items = groups.map((group, index) => ({ label: titleOf(group, index), fields: group.rows.flat().map(({ name }) => name) }));
  return { sections: { display, items: hasSections(display) ? items : [] } };
}
