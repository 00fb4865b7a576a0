/** The outline of a form: its sections and their fields. */
import { labelOf } from '../fields/props';
import type { EntryForm } from './form.svelte';
import { nameOf, type Sections } from './sections.svelte';

export interface OutlineGroup {
  key: string;
  /** Empty for a form without sections. */
  title: string;
  fields: { name: string; label: string }[];
}

export function outlineOf(form: EntryForm, sections: Sections): OutlineGroup[] {
  const { metadatas } = form.views.contentType;
  return sections.layout.sections.map((section) => ({
    key: section.key,
    title: sections.display === 'form' ? '' : nameOf(section),
    fields: section.rows.flat().map(({ name }) => ({ name, label: labelOf(name, metadatas[name]?.edit ?? {}) })),
  }));
}
