/**
 * The form of an entry: what is written, what the service has, and what is wrong. It is given to fields by context.
 * A key touches its own field only: values are one tree of `$state`, and nothing is copied or compared while one types.
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

/** Milliseconds between looks at a field that is being loaded, and the longest time of all. */
const PAUSE = 50;
const LONGEST_WAIT = 1000;

export type Values = Record<string, unknown>;

export interface FormSetting {
  type: ContentTypeSchema;
  definitions: Definitions;
  views: Views;
  /** Of the entry; null for a new one. */
  id: number | null;
  /** Null where the type has no locales. */
  locale: string | null;
  /** Which entry a new one is a copy of. */
  origin?: number | null;
  /** Which entry a new one is a translation of. */
  related?: number | null;
  /** How many forms it lies over: 0 on a page, more in panels. */
  depth?: number;
  /** It is beside the form of another localization. */
  isBeside?: boolean;
  /** It shows how a form looks, to whoever may say so: all fields are there, whatever they may read. */
  isPicture?: boolean;
}

/** What was sent: how often each attribute had been written to then, and which parts had no ids yet. */
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
  /** How many forms it lies over; null where no form can open over it. */
  readonly depth: number | null;
  id = $state<number | null>(null);
  /** What the service has. */
  original = $state.raw<Values>({});
  /** What is written. */
  values = $state<Values>({});
  /** Attributes of the entry that were changed since; only these are sent. */
  readonly changed = new SvelteSet<string>();
  /** What the service refused, by path. */
  readonly problems = new SvelteMap<string, string>();
  /** What is typed and cannot be read as a value, by path. Nothing is sent while there is any. */
  readonly held = new SvelteMap<string, string>();
  /** Where the reader is being taken; folded parts that it lies in open. */
  wanted = $state<string | null>(null);
  isSaving = $state(false);
  /** The entry was deleted while the form was open: its text can be copied, and no action is offered. */
  isGone = $state(false);
  /** The form of another localization that is shown beside this one, and what its language is called. */
  counterpart = $state.raw<{ form: EntryForm; name: string } | null>(null);
  /** The localizations of an entry that is new itself. */
  siblings: Values[] = [];
  /** Counts what is written: whoever keeps it elsewhere looks at this alone. */
  revision = $state(0);

  readonly mayRead: MayTouch;
  readonly mayWrite: MayTouch;
  readonly isLocalized: boolean;
  /** How often each attribute was written to: what is typed while a save runs is known by it. */
  readonly #prefix: string;
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

  /** Whether one may save it at all. */
  get mayStore(): boolean {
    return this.may(this.isNew ? 'create' : 'update');
  }

  may(action: Action): boolean {
    return !this.isGone && mayDo(session.rights, action, this.type.uid, this.locale);
  }

  /** Whether an error says that the entry was deleted, which is noted. Saving a single type creates its entry again. */
  findsGone(error: ApiError): boolean {
    if (error.status === 404 && this.id !== null && this.type.kind !== 'singleType') this.isGone = true;
    return this.isGone;
  }

  attribute(name: string): Attribute | undefined {
    return this.type.attributes[name];
  }

  /** Write a value into its container, which is the entry's values or an object in them. `path` is that of the value. */
  write(container: Values, name: string, value: unknown, path: string): void {
    if (container[name] === value) return;
    container[name] = value;
    this.touch(path);
  }

  /** Note that something at a path was changed by other means: items added, moved, removed. */
  touch(path: string): void {
    const top = topOf(path);
    this.#writes.set(top, this.writesTo(top) + 1);
    this.revision += 1;
    if (this.problems.size) this.forget(path);
    if (path === top && isSame(this.values[top], this.original[top])) this.changed.delete(top);
    else this.changed.add(top);
  }

  /** Whether a copy begins without the links at a path, because the original keeps them or the copy cannot get them. */
  isLeftOut(path: string): boolean {
    if (this.id !== null || this.origin === null) return false;
    return isExclusive(this.attribute(topOf(path))) || !this.mayWrite(path);
  }

  /** Note what is about to be sent. */
  note(names: string[]): Sent {
    const parts = names.map((name) => [name, noteParts(this.values[name], this.attribute(name)!, this.definitions)] as const);
    return { names, writes: new Map(this.#writes), parts: new Map(parts) };
  }

  /** Take what the service has stored. What was written while it was on its way stays, and stays marked as changed. */
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

  /** Take over what somebody else has changed; what was changed on both sides is returned, and stays as it is here. */
  merge(present: Values): Conflict[] {
    const conflicts = mergeAll(this.values, this.original, present, this.type.attributes, this.definitions);
    this.original = present;
    this.compare();
    return conflicts;
  }

  /** Find out what is still another value than the service has. */
  compare(): void {
    for (const name of [...this.changed]) if (isEqual(this.values[name], this.original[name])) this.changed.delete(name);
  }

  /** Write values that were kept elsewhere, made of a `base`. What others have changed since is taken over. */
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

  /** Forget what was written. */
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

  /** The id of the control of what lies at a path. */
  idOf(path: string): string {
    return this.#prefix + fieldId(path);
  }

  /** The same of what lies there as a whole: `data-path` in the page. */
  placeOf(path: string): string {
    return this.#prefix + path;
  }

  writesTo(top: string): number {
    return this.#writes.get(top) ?? 0;
  }

  /** Say that what is typed at a path cannot be read as a value; null once it can. */
  hold(path: string, problem: string | null): void {
    if (problem !== null) this.held.set(path, problem);
    else this.held.delete(path);
  }

  /** Drop what was wrong at a path and below; also on the way of items that were moved or removed. */
  forget(path: string): void {
    for (const found of [...this.problems.keys()]) if (isWithin(found, path)) this.problems.delete(found);
  }

  /** Drop everything known of a path and below: of an item that is removed. */
  release(path: string): void {
    this.forget(path);
    for (const found of [...this.held.keys()]) if (isWithin(found, path)) this.held.delete(found);
  }

  /** Whether something is wrong at a path or below. */
  hasProblem(path: string): boolean {
    for (const found of this.problems.keys()) if (isWithin(found, path)) return true;
    for (const found of this.held.keys()) if (isWithin(found, path)) return true;
    return false;
  }

  /** How many fields are invalid in these attributes. */
  problemsIn(names: ReadonlySet<string>): number {
    if (!this.problems.size && !this.held.size) return 0;
    const paths = new Set([...this.problems.keys(), ...this.held.keys()]);
    return [...paths].filter((path) => names.has(topOf(path))).length;
  }

  /** Whether the reader is being taken to somewhere below a path: a folded part opens then. */
  leadsTo(path: string): boolean {
    return this.wanted !== null && isWithin(this.wanted, path);
  }

  /** Take the reader to a field, through what is folded or in another tab. */
  async reveal(path: string): Promise<void> {
    this.wanted = path;
    await tick();
    for (let waited = 0; waited < LONGEST_WAIT && (waited < PAUSE || isAwaited(this, path)); waited += PAUSE) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      if (this.wanted !== path) return; // the reader is being taken elsewhere
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

/** Relations (but not media) and uids are always of one locale, as in v4. */
export function isShared(attribute: Attribute | undefined): boolean {
  if (!attribute || attribute.type === 'relation' || attribute.type === 'uid') return false;
  return (attribute.pluginOptions?.i18n as { localized?: boolean } | undefined)?.localized !== true;
}

/** Whether an entry has links that no other entry can have too: a copy would take them from its original. */
export function isExclusive(attribute: Attribute | undefined): boolean {
  const relation = (attribute?.relationType ?? attribute?.relation ?? '').toLowerCase();
  return Boolean(attribute?.inversedBy ?? attribute?.mappedBy) && (relation === 'onetoone' || relation === 'onetomany');
}

function controlAt(form: EntryForm, path: string): HTMLElement | null {
  const place = `[data-path="${CSS.escape(form.placeOf(path))}"]`;
  return document.getElementById(form.idOf(path)) ?? document.querySelector<HTMLElement>(place);
}

/** Whether a field is not there yet: it is loaded when it is wanted. */
function isAwaited(form: EntryForm, path: string): boolean {
  const found = controlAt(form, path);
  return !found || (found.dataset.path !== undefined && found.querySelector('[role=status]') !== null);
}

/** The control at a path, or of the nearest that it lies in. */
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
