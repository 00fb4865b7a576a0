/**
 * The state of an entry's form: values, saved values and errors. Fields get it from the context. Typing updates one
 * field only: values are one tree of `$state`, and nothing is copied or compared on each key.
 */
import { getContext, setContext, tick } from 'svelte';
import { SvelteMap, SvelteSet } from 'svelte/reactivity';
import type { ApiError } from '../../api/errors';
import type { Attribute, Definitions, ContentTypeSchema, Views } from '../../api/operations';
import { session } from '../../app/session.svelte';
import { isLocalized } from '../model/definitions';
import { fieldId } from '../fields/props';
import { isEqual, mergeAll, noteParts, take, type Conflict } from './merging';
import { fieldRights, mayDo, type Action, type MayTouch } from './rights';

/** Milliseconds between checks for a field that is loading, and the longest wait. */
const PAUSE = 50;
const LONGEST_WAIT = 1000;

export type Values = Record<string, unknown>;

export interface FormSetting {
  type: ContentTypeSchema;
  definitions: Definitions;
  views: Views;
  /** The entry's id; null for a new one. */
  id: number | null;
  /** Null for types without locales. */
  locale: string | null;
  /** The original of a copy. */
  origin?: number | null;
  /** The entry that a new one translates. */
  related?: number | null;
  /** The number of forms below: 0 on a page, more in panels. */
  depth?: number;
  /** Whether the form is beside the form of another localization. */
  isBeside?: boolean;
  /**
   * Whether the form only shows its layout, for its configuration. All fields are visible, whatever the user
   * can read.
   */
  isPicture?: boolean;
}

/**
 * The state of a sent form: the number of writes to each attribute, and functions that give new components their ids.
 */
export interface Sent {
  names: string[];
  writes: Map<string, number>;
  parts: Map<string, (answered: unknown) => void>;
}

export class EntryForm {
  readonly type: ContentTypeSchema;
  readonly definitions: Definitions;
  readonly views: Views;
  readonly locale: string | null;
  readonly origin: number | null;
  readonly related: number | null;
  /** The number of forms below; null if no panel can open above it. */
  readonly depth: number | null;
  id = $state<number | null>(null);
  /** The entry on the server. */
  original = $state.raw<Values>({});
  /** The values in the form. */
  values = $state<Values>({});
  /** Attributes with unsaved changes; only these are sent. */
  readonly changed = new SvelteSet<string>();
  /** Errors from the server, by path. */
  readonly problems = new SvelteMap<string, string>();
  /** Errors of texts that are not valid values, by path. The form cannot be saved while there are any. */
  readonly held = new SvelteMap<string, string>();
  /** Path of the field to reveal. Collapsed components around it open. */
  wanted = $state<string | null>(null);
  isSaving = $state(false);
  /** Whether the entry was deleted while the form was open. Its text can be copied, and actions are hidden. */
  isGone = $state(false);
  /** The form of the localization beside this one, and the name of its locale. */
  counterpart = $state.raw<{ form: EntryForm; name: string } | null>(null);
  /** The existing localizations of a new entry. */
  siblings: Values[] = [];
  /** Counts changes, so that drafts and the preview only need to watch this number. */
  revision = $state(0);

  readonly mayRead: MayTouch;
  readonly mayWrite: MayTouch;
  readonly isLocalized: boolean;
  readonly #prefix: string;
  /** Counts writes to each attribute, to recognize changes made during a save. */
  readonly #writes = new Map<string, number>();

  constructor(setting: FormSetting, original: Values, values: Values = structuredClone(original)) {
    this.type = setting.type;
    this.definitions = setting.definitions;
    this.views = setting.views;
    this.locale = setting.locale;
    this.id = setting.id;
    this.origin = setting.origin ?? null;
    this.related = setting.related ?? null;
    this.depth = setting.isBeside || setting.isPicture ? null : (setting.depth ?? 0);
    this.#prefix = setting.isPicture ? 'picture.' : setting.isBeside ? 'beside.' : this.depth ? `panel${this.depth}.` : '';
    this.original = original;
    this.values = values;
    this.isLocalized = isLocalized(setting.type);
    const writing: Action = setting.id === null ? 'create' : 'update';
    const all: MayTouch = () => true;
    this.mayWrite = setting.isPicture ? all : fieldRights(session.rights, writing, setting.type.uid, setting.locale);
    const reads = fieldRights(session.rights, 'read', setting.type.uid, setting.locale);
    this.mayRead = setting.isPicture ? all : setting.id === null ? (path) => reads(path) || this.mayWrite(path) : reads;
  }

  get isNew(): boolean {
    return this.id === null;
  }

  get isChanged(): boolean {
    return this.changed.size > 0;
  }

  /** Whether the user can save the form. */
  get mayStore(): boolean {
    return this.may(this.isNew ? 'create' : 'update');
  }

  may(action: Action): boolean {
    return !this.isGone && mayDo(session.rights, action, this.type.uid, this.locale);
  }

  /**
   * Return whether the entry was deleted, and remember it. A single type never counts as deleted, because saving
   * creates it again.
   */
  findsGone(error: ApiError): boolean {
    if (error.status === 404 && this.id !== null && this.type.kind !== 'singleType') this.isGone = true;
    return this.isGone;
  }

  attribute(name: string): Attribute | undefined {
    return this.type.attributes[name];
  }

  /** Write a value into its container: the entry's values, or an object in them. `path` is the value's path. */
  write(container: Values, name: string, value: unknown, path: string): void {
    if (container[name] === value) return;
    container[name] = value;
    this.touch(path);
  }

  /** Record a change at a path, for example of items that were added, moved or removed. */
  touch(path: string): void {
    const top = topOf(path);
    this.#writes.set(top, this.writesTo(top) + 1);
    this.revision += 1;
    if (this.problems.size) this.forget(path);
    if (path === top && isSame(this.values[top], this.original[top])) this.changed.delete(top);
    else this.changed.add(top);
  }

  /**
   * Whether a copy starts without the value at a path, because the original keeps its links or the user cannot write
   * it.
   */
  isLeftOut(path: string): boolean {
    if (this.id !== null || this.origin === null) return false;
    return isExclusive(this.attribute(topOf(path))) || !this.mayWrite(path);
  }

  /** Return the state of the attributes that are about to be sent. */
  note(names: string[]): Sent {
    const parts = names.map((name) => [name, noteParts(this.values[name], this.attribute(name)!, this.definitions)] as const);
    return { names, writes: new Map(this.#writes), parts: new Map(parts) };
  }

  /**
   * Apply the server's response. Attributes that were changed during the request keep their values and stay marked as
   * changed.
   */
  settle(answer: Values, sent: Sent): void {
    for (const [name, attribute] of Object.entries(this.type.attributes)) {
      if (this.writesTo(name) !== (sent.writes.get(name) ?? 0)) {
        sent.parts.get(name)?.(answer[name]);
        continue;
      }
      if (attribute.type === 'password') this.values[name] = null;
      else take(this.values, name, answer, attribute, this.definitions);
      this.changed.delete(name);
    }
    this.original = answer;
    this.id = Number(answer.id);
    this.problems.clear();
  }

  /** Apply another user's changes. Return conflicts, which keep the form's values. */
  merge(present: Values): Conflict[] {
    const conflicts = mergeAll(this.values, this.original, present, this.type.attributes, this.definitions);
    this.original = present;
    this.compare();
    return conflicts;
  }

  /** Unmark attributes whose values equal those on the server. */
  compare(): void {
    for (const name of [...this.changed]) if (isEqual(this.values[name], this.original[name])) this.changed.delete(name);
  }

  /** Restore a draft whose changes were made to `base`, and apply what others have changed since. Return conflicts. */
  restore(kept: Values, base: Values, present: Values): Conflict[] {
    this.original = { ...this.original, ...base };
    for (const [name, value] of Object.entries(kept)) {
      this.values[name] = structuredClone(value);
      this.changed.add(name);
      this.#writes.set(name, this.writesTo(name) + 1);
    }
    const before = this.original;
    const conflicts = this.merge(present);
    if (conflicts.length) this.original = before;
    return conflicts;
  }

  /** Discard all changes. */
  reset(): void {
    for (const name of [...this.changed]) {
      this.values[name] = structuredClone(this.original[name]);
      this.#writes.set(name, this.writesTo(name) + 1);
    }
    this.changed.clear();
    this.problems.clear();
    this.held.clear();
    this.revision += 1;
  }

  /** Return the id of the control at a path. */
  idOf(path: string): string {
    return this.#prefix + fieldId(path);
  }

  /** Return the `data-path` of the field at a path. */
  placeOf(path: string): string {
    return this.#prefix + path;
  }

  writesTo(top: string): number {
    return this.#writes.get(top) ?? 0;
  }

  /** Record that the text at a path is not a valid value; null if it is valid again. */
  hold(path: string, problem: string | null): void {
    if (problem !== null) this.held.set(path, problem);
    else this.held.delete(path);
  }

  /** Remove errors from the server at a path and below, for example of items that were moved or removed. */
  forget(path: string): void {
    for (const found of [...this.problems.keys()]) if (isWithin(found, path)) this.problems.delete(found);
  }

  /** Remove all errors at a path and below, because the item was removed. */
  release(path: string): void {
    this.forget(path);
    for (const found of [...this.held.keys()]) if (isWithin(found, path)) this.held.delete(found);
  }

  /** Whether there is an error at a path or below. */
  hasProblem(path: string): boolean {
    for (const found of this.problems.keys()) if (isWithin(found, path)) return true;
    for (const found of this.held.keys()) if (isWithin(found, path)) return true;
    return false;
  }

  /** Return the number of invalid fields in these attributes. */
  problemsIn(names: ReadonlySet<string>): number {
    if (!this.problems.size && !this.held.size) return 0;
    const paths = new Set([...this.problems.keys(), ...this.held.keys()]);
    return [...paths].filter((path) => names.has(topOf(path))).length;
  }

  /** Whether the field to reveal is at a path or below, so that a collapsed component opens. */
  leadsTo(path: string): boolean {
    return this.wanted !== null && isWithin(this.wanted, path);
  }

  /** Scroll to a field and focus it, after opening its tab and collapsed components. */
  async reveal(path: string): Promise<void> {
    this.wanted = path;
    await tick();
    for (let waited = 0; waited < LONGEST_WAIT && (waited < PAUSE || isAwaited(this, path)); waited += PAUSE) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      if (this.wanted !== path) return; // another field is to be revealed
    }
    const found = nearest(this, path);
    found?.scrollIntoView({ block: 'center' });
    found?.focus({ preventScroll: true });
    this.wanted = null;
  }

  /** Whether all localizations of the entry share the attribute at a path. */
  isShared(path: string): boolean {
    return this.isLocalized && !path.includes('.') && isShared(this.attribute(path));
  }
}

const topOf = (path: string): string => path.split('.', 1)[0] ?? path;
const isWithin = (path: string, outer: string): boolean => path === outer || path.startsWith(`${outer}.`);
const isSame = (one: unknown, other: unknown): boolean => (typeof one === 'object' && one !== null ? false : (one ?? null) === (other ?? null));

/** Whether all localizations share an attribute. They never share relations (except media) and uids, as in v4. */
export function isShared(attribute: Attribute | undefined): boolean {
  if (!attribute || attribute.type === 'relation' || attribute.type === 'uid') return false;
  return (attribute.pluginOptions?.i18n as { localized?: boolean } | undefined)?.localized !== true;
}

/** Whether a target can be linked to one entry only, so that a copy would take the link from its original. */
export function isExclusive(attribute: Attribute | undefined): boolean {
  const relation = (attribute?.relationType ?? attribute?.relation ?? '').toLowerCase();
  return Boolean(attribute?.inversedBy ?? attribute?.mappedBy) && (relation === 'onetoone' || relation === 'onetomany');
}

function controlAt(form: EntryForm, path: string): HTMLElement | null {
  const place = `[data-path="${CSS.escape(form.placeOf(path))}"]`;
  return document.getElementById(form.idOf(path)) ?? document.querySelector<HTMLElement>(place);
}

/** Whether a field is not rendered yet, or still loading. */
function isAwaited(form: EntryForm, path: string): boolean {
  const found = controlAt(form, path);
  return !found || (found.dataset.path !== undefined && found.querySelector('[role=status]') !== null);
}

/** Return the control at a path, or of its nearest container. */
function nearest(form: EntryForm, path: string): HTMLElement | null {
  for (let at = path; at; at = at.includes('.') ? at.slice(0, at.lastIndexOf('.')) : '') {
    const found = controlAt(form, at);
    if (found) return found;
  }
  return null;
}

const KEY = Symbol('entry form');

export function provideEntryForm(form: EntryForm): EntryForm {
  return setContext(KEY, form);
}

export function getEntryForm(): EntryForm {
  return getContext<EntryForm>(KEY);
}
