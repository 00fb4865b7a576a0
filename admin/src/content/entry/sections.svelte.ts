/** The sections of an open form: the selected tab, and which fields are rendered. */
import { getContext, setContext } from 'svelte';
import { SvelteSet } from 'svelte/reactivity';
import type { View } from '../../api/operations';
import { t } from '../../messages/index.svelte';
import { layoutOf, type Section, type SectionLayout } from '../model/sections';
import type { EntryForm } from './form.svelte';

/** Forms with fewer fields have no outline. */
const LONG = 10;
/** Location of the outline: before the form, in the column beside it, or in a menu. */
export type OutlinePlace = 'start' | 'side' | 'menu' | 'none';

/** Longer forms start with only the first section open and rendered. */
const MOST_AT_ONCE = 60;

export class Sections {
  readonly #form: EntryForm;
  readonly #view: () => View;
  readonly #place: () => OutlinePlace;
  /** The tab that was selected last. */
  #chosen = $state<string | null>(null);
  /** Sections that were opened. Their fields stay rendered, with their unsaved text. */
  readonly #opened = new SvelteSet<string>();
  /** Whether sections are collapsed, for those that were opened or closed. */
  readonly #folded = $state<Record<string, boolean>>({});
  /** Whether all fields are rendered because the user is searching in the page. */
  #isSearched = $state(false);
  readonly layout: SectionLayout = $derived.by(() => {
    const view = this.#view();
    const { attributes } = this.#form.type;
    const isShown = (name: string): boolean =>
      attributes[name] !== undefined && view.metadatas[name]?.edit.visible !== false && this.#form.mayRead(name);
    return layoutOf(view, attributes, isShown);
  });
  readonly current: Section = $derived(this.layout.sections.find(({ key }) => key === this.#chosen) ?? this.layout.sections[0]!);
  readonly #count = $derived(this.layout.sections.reduce((sum, section) => sum + section.rows.flat().length, 0));
  readonly outline: OutlinePlace = $derived.by(() => (this.#count < LONG ? 'none' : this.#place()));

  constructor(form: EntryForm, place: () => OutlinePlace, view: () => View = () => form.views.contentType) {
    this.#form = form;
    this.#place = place;
    this.#view = view;
  }

  get display(): SectionLayout['display'] {
    return this.layout.display;
  }

  open(key: string): void {
    this.#opened.add(this.current.key);
    this.#chosen = key;
    this.#folded[key] = false;
    this.#opened.add(key);
  }

  /** Open the section that contains a field, without focusing the field. */
  show(path: string): void {
    const found = this.of(path);
    if (found) this.open(found.key);
  }

  of(path: string): Section | undefined {
    const [top] = path.split('.', 1);
    return this.layout.sections.find(({ rows }) => rows.some((row) => row.some(({ name }) => name === top)));
  }

  fold(key: string, isFolded: boolean): void {
    this.#folded[key] = isFolded;
    this.#opened.add(key);
  }

  /** Whether the section's fields are visible. */
  isShown({ key }: Section): boolean {
    if (this.display === 'tabs') return key === this.current.key;
    return !(this.#folded[key] ?? (this.#count > MOST_AT_ONCE && key !== this.layout.sections[0]!.key));
  }

  /**
   * Whether the section's fields are rendered, visible or not. A new entry's uids must be, because they follow other
   * fields.
   */
  isMounted(section: Section): boolean {
    if (this.#isSearched || this.isShown(section) || this.#opened.has(section.key)) return true;
    return this.#form.isNew && section.rows.some((row) => row.some(({ name }) => this.#form.attribute(name)?.targetField));
  }

  /** Render all sections, so that the browser's search finds text in them. */
  search(): void {
    this.#isSearched = true;
  }

  problemsIn({ rows }: Section): number {
    return this.#form.problemsIn(new Set(rows.flat().map(({ name }) => name)));
  }
}

export function nameOf({ label, kind }: Section): string {
  switch (kind) {
    case 'content':
      return t('entry.section.content');
    case 'media':
      return t('entry.section.media');
    case 'relations':
      return t('entry.section.relations');
    case 'seo':
      return t('entry.section.seo');
    case 'settings':
      return t('entry.section.settings');
    default:
      return label;
  }
}

const KEY = Symbol('sections');
export function provideSections(form: EntryForm, place: () => OutlinePlace = () => 'none', view?: () => View): Sections {
  return setContext(KEY, new Sections(form, place, view));
}
export const getSections = (): Sections => getContext<Sections>(KEY);
