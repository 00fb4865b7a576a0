/** Saving and publishing: what was changed is sent, and what somebody else has changed in between is brought together. */
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

/** Attributes with relations in them. */
const LEADS = new Set(['relation', 'component', 'dynamiczone']);

/** What goes on around what is stored. */
export interface Heard {
  /** An entry that was new has got its id. */
  made?: (id: number) => unknown;
  /** Nothing is left that was not stored. */
  stored: () => unknown;
  /** What the service has now. */
  answered?: (answer: Values) => unknown;
  /** All that was asked for is done. */
  done?: (wasNew: boolean) => unknown;
}

export class Saving {
  readonly #form: EntryForm;
  /** What both have changed, while it is asked about. */
  conflicts = $state<Conflict[]>([]);
  /** Who has changed the entry in between. */
  other = $state<unknown>(null);
  #before: Values | null = null;
  #again: (() => Promise<boolean>) | null = null;
  readonly #heard: Heard;

  constructor(form: EntryForm, heard: Heard) {
    this.#form = form;
    this.#heard = heard;
  }

  /** Save what was changed: whether it is stored now. */
  save = (): Promise<boolean> => this.#run(() => this.#store(), this.save, t('entry.saved'));

  /** Save, and publish what is saved. */
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

  /** Go on after somebody has decided about what both have changed: take theirs of some, and save the rest. */
  async decide(taken: readonly Conflict[]): Promise<void> {
    for (const conflict of taken) conflict.take();
    this.#form.compare();
    this.conflicts = [];
    this.#before = null;
    await this.#again?.();
  }

  /** Leave it undecided: the next save asks again. */
  postpone = (): void => {
    if (this.#before) this.#form.original = this.#before;
    this.#before = null;
    this.conflicts = [];
  };

  /** Take over quietly what somebody else has saved, where nothing is in conflict; else the next save asks. */
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
    this.#heard.stored(); // under the key that a new entry had
    if (isCopy || sent.names.some((name) => LEADS.has(form.attribute(name)?.type ?? ''))) {
      await queries.invalidateQueries({ queryKey: ['relations'] }); // what they lead to now is there before the change goes
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
      void queries.invalidateQueries({ queryKey: ['entry', type.uid], predicate: isOther }); // they share what is not localized
    }
    void queries.invalidateQueries({ queryKey: ['entries', type.uid] });
    this.#heard.answered?.(answer);
  }

  /** Do something that is sent, one thing at a time. */
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

  /** Somebody else has saved: take over what only they have changed, and ask about the rest. */
  async #meet(present: Values, error: ApiError, again: () => Promise<boolean>): Promise<boolean> {
    const before = this.#form.original;
    if (present.updatedAt === before.updatedAt) {
      toast('failed', error.message); // it would be refused again, and again
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
