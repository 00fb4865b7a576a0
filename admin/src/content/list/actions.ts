/** What is done with entries of a list, one or many, and how it is taken back. */
import { call } from '../../api/client';
import type { QueryValue } from '../../api/query';
import { t } from '../../messages/index.svelte';
import { confirmed } from '../../ui/confirm.svelte';
import { errorPlaces } from '../../ui/failed';
import { toast } from '../../ui/toasts.svelte';
import { refresh, type Entry } from './entries';

/** Entries that the service changes at once, in one transaction. */
export const MOST_AT_ONCE = 1000;

const path = (uid: string): { path: { uid: string } } => ({ path: { uid } });
const countOf = (answer: unknown): number => Number((answer as { count?: unknown }).count ?? 0);

/** Publish drafts; those that lead to drafts are told first. True if it was done. */
export async function publish(uid: string, entries: readonly Entry[]): Promise<boolean> {
  const drafts = entries.filter((entry) => !entry.publishedAt).map(({ id }) => id);
  const ids = drafts.length ? drafts : entries.map(({ id }) => id);
  return attempt(async () => {
    const leading = (await call('GET /content-manager/collection-types/:uid/actions/countManyEntriesDraftRelations', {
      ...path(uid),
      query: { ids },
    })) as { data: number };
    const question = { title: t('list.publish.title', { count: ids.length }), action: t('list.publish') };
    const hint = leading.data > 0 ? t('list.publish.drafts', { count: leading.data }) : undefined;
    if ((ids.length > 1 || hint) && !(await confirmed({ ...question, hint }))) return false;
    const count = countOf(await call('POST /content-manager/collection-types/:uid/actions/bulkPublish', { ...path(uid), body: { ids } }));
    await refresh(uid);
    const undo = { label: t('list.undo'), run: () => void unpublishIds(uid, ids) };
    toast('done', t('list.publish.done', { count }), drafts.length ? undo : undefined);
    return true;
  });
}

/** Make published entries drafts. */
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
  });
}

/** As of when they were: nobody is told that what is old is new. */
function publishAgain(uid: string, entries: readonly Entry[]): Promise<boolean> {
  const moments = entries.flatMap(({ id, publishedAt }) => (publishedAt ? [{ id, publishedAt: String(publishedAt) }] : []));
  return attempt(async () => {
    const { count } = await call('POST /octavo/publications/:uid', { ...path(uid), body: { entries: moments } });
    await refresh(uid);
    toast('done', t('list.publish.done', { count }));
    return true;
  });
}

/** Delete entries, after a question that says how many. */
export async function remove(uid: string, ids: readonly number[], name?: string): Promise<boolean> {
  const title = name === undefined ? t('list.delete.title', { count: ids.length }) : t('list.delete.one', { name });
  const sure = await confirmed({ title, hint: t('list.delete.hint'), action: t('ui.delete'), isDangerous: true });
  if (!sure) return false;
  return attempt(async () => {
    const answer = await call('POST /content-manager/collection-types/:uid/actions/bulkDelete', { ...path(uid), body: { ids: [...ids] } });
    await refresh(uid);
    toast('done', t('list.delete.done', { count: countOf(answer) }));
    return true;
  });
}

/** All entries that a list leads to, as far as they can be changed at once: ids, and whether they are published. */
export async function allEntries(uid: string, query: Record<string, QueryValue>): Promise<Entry[]> {
  const asked = { ...query, fields: ['id', 'publishedAt'], page: 1, pageSize: MOST_AT_ONCE, sort: 'id:ASC' };
  const answer = await call('GET /content-manager/collection-types/:uid', { ...path(uid), query: asked });
  return answer.results as Entry[];
}

/** The address of an entry for front ends; null where it has none. */
export async function apiAddress(uid: string, id: number): Promise<string | null> {
  const { api } = (await call('GET /octavo/entry-addresses/:uid', path(uid))).data;
  return api === null ? null : `${location.origin}${api}/${id}`;
}

async function attempt(work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work();
  } catch (error) {
    toast('failed', errorPlaces(error));
    return false;
  }
}
