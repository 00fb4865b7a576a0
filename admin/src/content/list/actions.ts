/** Actions on one or several entries of a list, and their undo. */
import { call } from '../../api/client';
import { readProblems } from '../../api/errors';
import type { InvalidEntry } from '../../api/operations';
import type { QueryValue } from '../../api/query';
import { entryAddress } from '../../app/addresses';
import { t } from '../../messages/index.svelte';
import { confirmed, type QuestionItem } from '../../ui/confirm.svelte';
import { errorPlaces, placesOf } from '../../ui/failed';
import { toast } from '../../ui/toasts.svelte';
import { refresh, type Entry } from './entries';

/** The most entries that the server changes in one transaction. */
export const MOST_AT_ONCE = 1000;

const path = (uid: string): { path: { uid: string } } => ({ path: { uid } });
const countOf = (answer: unknown): number => Number((answer as { count?: unknown }).count ?? 0);

/** What actions need to know about a list. */
export interface ListedType {
  uid: string;
  /** Null for types without locales. */
  locale: string | null;
  /** Return an entry's title. */
  nameOf: (entry: Entry) => string;
}

/**
 * Publish drafts after a confirmation that counts related drafts. If some drafts are incomplete, list them and offer to
 * publish the others. Return the ids of the skipped drafts, or null if nothing was published.
 */
export async function publish(list: ListedType, entries: readonly Entry[]): Promise<number[] | null> {
  const { uid } = list;
  const drafts = entries.filter((entry) => !entry.publishedAt);
  const wanted = drafts.length ? drafts : entries;
  return attempt(async () => {
    const incomplete = await incompleteOf(list, wanted);
    const ids = wanted.map(({ id }) => id).filter((id) => !incomplete.has(id));
    if (!(await mayPublish(uid, ids, [...incomplete.values()]))) return null;
    const count = countOf(await call('POST /content-manager/collection-types/:uid/actions/bulkPublish', { ...path(uid), body: { ids } }));
    await refresh(uid);
    const undo = { label: t('list.undo'), run: () => void unpublishIds(uid, ids) };
    toast('done', t('list.publish.done', { count }), drafts.length ? undo : undefined);
    return [...incomplete.keys()];
  }, null);
}

/** Return the drafts that cannot be published, by id, as items of the confirmation. */
async function incompleteOf(list: ListedType, entries: readonly Entry[]): Promise<Map<number, QuestionItem>> {
  const { data } = await call('POST /octavo/incomplete-drafts/:uid', { ...path(list.uid), body: { ids: entries.map(({ id }) => id) } });
  return questionItems(list, entries, data);
}

function questionItems({ uid, locale, nameOf }: ListedType, entries: readonly Entry[], data: readonly InvalidEntry[]): Map<number, QuestionItem> {
  const known = new Map(entries.map((entry) => [entry.id, entry]));
  const search = locale === null ? '' : `?plugins[i18n][locale]=${encodeURIComponent(locale)}`;
  const items = data.map(({ id, errors }): [number, QuestionItem] => [
    id,
    { text: nameOf(known.get(id) ?? { id }), href: entryAddress(uid, id) + search, note: placesOf(readProblems(errors)).join(' · ') },
  ]);
  return new Map(items);
}

/**
 * Ask for confirmation, listing incomplete drafts and counting related ones. A single entry without either needs none.
 */
async function mayPublish(uid: string, ids: readonly number[], incomplete: readonly QuestionItem[]): Promise<boolean> {
  if (!ids.length) return confirmed({ title: t('list.publish.incomplete', { count: incomplete.length }), hint: t('list.publish.fix'), items: incomplete });
  const leading = (await call('GET /content-manager/collection-types/:uid/actions/countManyEntriesDraftRelations', {
    ...path(uid),
    query: { ids: [...ids] },
  })) as { data: number };
  const hint = leading.data > 0 ? t('list.publish.drafts', { count: leading.data }) : undefined;
  if (incomplete.length) {
    const hints = [t('list.publish.leaveOut', { count: incomplete.length }), ...(hint ? [hint] : [])].join(' ');
    const title = t('list.publish.incomplete', { count: incomplete.length });
    return confirmed({ title, hint: hints, items: incomplete, action: t('list.publish.rest', { count: ids.length }) });
  }
  if (ids.length === 1 && !hint) return true;
  return confirmed({ title: t('list.publish.title', { count: ids.length }), action: t('list.publish'), hint });
}

/** The most entries in one request. The server edits each in its own transaction. */
const MOST_EDITED = 100;

/**
 * Write the same values to several entries, except those that have changed since they were listed. Show the refused
 * entries and return their ids, or null if the request failed.
 */
export async function edit(list: ListedType, entries: readonly Entry[], data: Record<string, unknown>): Promise<number[] | null> {
  return attempt(async () => {
    const refused: InvalidEntry[] = [];
    for (let start = 0; start < entries.length; start += MOST_EDITED) {
      const seen = entries.slice(start, start + MOST_EDITED).map(({ id, updatedAt }) => (typeof updatedAt === 'string' ? { id, updatedAt } : { id }));
      refused.push(...(await call('POST /octavo/batch-edits/:uid', { ...path(list.uid), body: { entries: seen, data } })).data);
    }
    await refresh(list.uid);
    if (entries.length > refused.length) toast('done', t('list.batch.done', { count: entries.length - refused.length }));
    if (refused.length) {
      const items = [...questionItems(list, entries, refused).values()];
      void confirmed({ title: t('list.batch.refused', { count: refused.length }), items });
    }
    return refused.map(({ id }) => id);
  }, null);
}

export async function unpublish(uid: string, entries: readonly Entry[]): Promise<boolean> {
  const ids = entries.filter((entry) => entry.publishedAt).map(({ id }) => id);
  if (!ids.length) return true;
  const question = { title: t('list.unpublish.title', { count: ids.length }), action: t('list.unpublish') };
  if (ids.length > 1 && !(await confirmed({ ...question, hint: t('list.unpublish.hint') }))) return false;
  return unpublishIds(uid, ids, () => void publishAgain(uid, entries));
}

function unpublishIds(uid: string, ids: number[], undo?: () => void): Promise<boolean> {
  return attempt(async () => {
    const count = countOf(await call('POST /content-manager/collection-types/:uid/actions/bulkUnpublish', { ...path(uid), body: { ids } }));
    await refresh(uid);
    toast('done', t('list.unpublish.done', { count }), undo && { label: t('list.undo'), run: undo });
    return true;
  }, false);
}

/** Undo an unpublish with the former publication times, so that old entries don't appear as new. */
function publishAgain(uid: string, entries: readonly Entry[]): Promise<boolean> {
  const moments = entries.flatMap(({ id, publishedAt }) => (publishedAt ? [{ id, publishedAt: String(publishedAt) }] : []));
  return attempt(async () => {
    const { count } = await call('POST /octavo/publications/:uid', { ...path(uid), body: { entries: moments } });
    await refresh(uid);
    toast('done', t('list.publish.done', { count }));
    return true;
  }, false);
}

/** Delete entries after a confirmation. */
export async function remove(uid: string, ids: readonly number[], name?: string): Promise<boolean> {
  const title = name === undefined ? t('list.delete.title', { count: ids.length }) : t('list.delete.one', { name });
  const sure = await confirmed({ title, hint: t('list.delete.hint'), action: t('ui.delete'), isDangerous: true });
  if (!sure) return false;
  return attempt(async () => {
    const answer = await call('POST /content-manager/collection-types/:uid/actions/bulkDelete', { ...path(uid), body: { ids: [...ids] } });
    await refresh(uid);
    toast('done', t('list.delete.done', { count: countOf(answer) }));
    return true;
  }, false);
}

/** Return all entries that match a list's query, up to `MOST_AT_ONCE`, with their `names` attributes. */
export async function allEntries(uid: string, query: Record<string, QueryValue>, names: readonly string[]): Promise<Entry[]> {
  const asked = { ...query, fields: ['id', 'publishedAt', 'updatedAt', ...names], page: 1, pageSize: MOST_AT_ONCE, sort: 'id:ASC' };
  const answer = await call('GET /content-manager/collection-types/:uid', { ...path(uid), query: asked });
  return answer.results as Entry[];
}

/** Return the entry's URL in the REST API; null if its type has none. */
export async function apiAddress(uid: string, id: number): Promise<string | null> {
  const { api } = (await call('GET /octavo/entry-addresses/:uid', path(uid))).data;
  return api === null ? null : `${location.origin}${api}/${id}`;
}

/** Return the result of `work`. If it fails, show the error and return `otherwise`. */
async function attempt<Found>(work: () => Promise<Found>, otherwise: Found): Promise<Found> {
  try {
    return await work();
  } catch (error) {
    toast('failed', errorPlaces(error));
    return otherwise;
  }
}
