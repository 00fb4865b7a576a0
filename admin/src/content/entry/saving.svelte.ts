/** Saving and publishing: send changes, and merge those of other users. */
import { ApiError } from '../../api/errors';
import { queries } from '../../app/queries';
import { t } from '../../messages/index.svelte';
import { toast } from '../../ui/toasts.svelte';
import { bodyOf, exclusiveLinks } from './body';
import { setPublished, store } from './calls';
import type { EntryForm, Values } from './form.svelte';
import type { Conflict } from './merging';
import { entryKey } from './queries';
import { saidOf } from './words';

/** Types of attributes that can contain relations. */
const LEADS = new Set(['relation', 'component', 'dynamiczone']);

/** Callbacks around a save. */
export interface Heard {
  /** Called with the id of a new entry. */
  made?: (id: number) => unknown;
  /** Called when the server has stored the changes. */
  stored: () => unknown;
  /** Called with the server's response. */
  answered?: (answer: Values) => unknown;
  /** Called after a successful save, publish or unpublish. */
  done?: (wasNew: boolean) => unknown;
}

export class Saving {
  readonly #form: EntryForm;
  /** Conflicts that the user has to resolve. */
  conflicts = $state<Conflict[]>([]);
  /** The other user who has changed the entry. */
  other = $state<unknown>(null);
  #before: Values | null = null;
  #again: (() => Promise<boolean>) | null = null;
  readonly #heard: Heard;

  constructor(form: EntryForm, heard: Heard) {
    this.#form = form;
    this.#heard = heard;
  }

  /** Save changes. Return whether they are stored now. */
  save = (): Promise<boolean> => this.#run(() => this.#store(), this.save, t('entry.saved'));

  /** Save changes, then publish the entry. */
  publish = (): Promise<boolean> =>
    this.#run(
      async () => {
        if (this.#form.isChanged || this.#form.isNew) await this.#store();
        await this.#publish(true);
      },
      this.publish,
      t('entry.published'),
    );

  unpublish = (): Promise<boolean> => this.#run(() => this.#publish(false), this.unpublish, t('entry.unpublished'));

  /** Resolve conflicts: use the other user's values for `taken`, then repeat the save. */
  async decide(taken: readonly Conflict[]): Promise<void> {
    for (const conflict of taken) conflict.take();
    this.#form.compare();
    this.conflicts = [];
    this.#before = null;
    await this.#again?.();
  }

  /** Leave conflicts unresolved. The next save reports them again. */
  postpone = (): void => {
    if (this.#before) this.#form.original = this.#before;
    this.#before = null;
    this.conflicts = [];
  };

  /** Apply what other users have saved, unless there are conflicts: the next save reports those. */
  hear(present: Values): void {
    const form = this.#form;
    if (form.isSaving || this.conflicts.length || String(present.updatedAt) <= String(form.original.updatedAt)) return;
    const before = form.original;
    if (form.merge(present).length) form.original = before;
  }

  async #store(): Promise<void> {
    const form = this.#form;
    const wasNew = form.isNew;
    const isCopy = wasNew && form.origin !== null;
    const names = wasNew && !isCopy ? Object.keys(form.values) : [...form.changed];
    const sent = form.note(names.filter((name) => form.attribute(name) && form.mayWrite(name)));
    const body = bodyOf(sent.names, form.values, form.type.attributes, form.definitions, isCopy);
    const answer = await store(form, isCopy ? { ...body, ...exclusiveLinks(form) } : body);
    this.#heard.stored(); // before a new entry gets its id, which is part of the draft's key
    if (isCopy || sent.names.some((name) => LEADS.has(form.attribute(name)?.type ?? ''))) {
      await queries.invalidateQueries({ queryKey: ['relations'] }); // load the new targets before the changes are cleared
    }
    form.settle(answer, sent);
    this.#remember(answer);
    if (wasNew) await this.#heard.made?.(Number(answer.id));
  }

  async #publish(isPublished: boolean): Promise<void> {
    const sent = this.#form.note([]);
    const answer = await setPublished(this.#form, isPublished);
    this.#form.settle(answer, sent);
    this.#remember(answer);
  }

  #remember(answer: Values): void {
    const { type, locale, isLocalized } = this.#form;
    const id = type.kind === 'singleType' ? 'single' : Number(answer.id);
    const key = entryKey(type.uid, id, locale);
    queries.setQueryData(key, answer);
    if (isLocalized) {
      const isOther = ({ queryKey }: { queryKey: readonly unknown[] }): boolean => key.some((part, index) => part !== queryKey[index]);
      void queries.invalidateQueries({ queryKey: ['entry', type.uid], predicate: isOther }); // localizations share fields that are not localized
    }
    void queries.invalidateQueries({ queryKey: ['entries', type.uid] });
    this.#heard.answered?.(answer);
  }

  /** Send a request, unless another one is running, and show the result. */
  async #run(work: () => Promise<void>, again: () => Promise<boolean>, done: string): Promise<boolean> {
    const form = this.#form;
    if (form.isSaving) return false;
    const [held] = form.held.keys();
    if (held !== undefined) {
      toast('failed', t('entry.held'));
      await form.reveal(held);
      return false;
    }
    const wasNew = form.isNew;
    form.isSaving = true;
    try {
      await work();
    } catch (error) {
      form.isSaving = false;
      return this.#refused(error, again);
    }
    form.isSaving = false;
    toast('done', done);
    await this.#heard.done?.(wasNew);
    return true;
  }

  async #refused(error: unknown, again: () => Promise<boolean>): Promise<boolean> {
    if (!(error instanceof ApiError)) throw error;
    const present = error.status === 409 ? (error.details.entry as Values | undefined) : undefined;
    if (present) return this.#meet(present, error, again);
    const form = this.#form;
    if (form.findsGone(error)) return false;
    form.problems.clear();
    for (const problem of error.problems) if (problem.path.length) form.problems.set(problem.path.join('.'), saidOf(form, problem.said));
    const [first] = form.problems.keys();
    toast('failed', error.isOffline ? t('app.offline') : first === undefined ? error.message : t('entry.refused', { count: form.problems.size }));
    if (first !== undefined) await form.reveal(first);
    return false;
  }

  /** Apply another user's changes and repeat the save. If there are conflicts, let the user resolve them first. */
  async #meet(present: Values, error: ApiError, again: () => Promise<boolean>): Promise<boolean> {
    const before = this.#form.original;
    if (present.updatedAt === before.updatedAt) {
      toast('failed', error.message); // a retry would be refused too
      return false;
    }
    const conflicts = this.#form.merge(present);
    if (!conflicts.length) {
      toast('done', t('entry.merged'));
      return again();
    }
    this.other = present.updatedBy;
    this.#again = again;
    this.#before = before;
    this.conflicts = conflicts;
    return false;
  }
}
