/** Requests on a form's entry, for collection types and single types. */
import { call } from '../../api/client';
import type { QueryValue } from '../../api/query';
import type { EntryForm, Values } from './form.svelte';

/** Return the header that states which version of the entry was edited. */
function seen(form: EntryForm): Record<string, string> {
  return { 'X-Octavo-Seen': form.isNew ? 'nothing' : String(form.original.updatedAt) };
}

const isSingle = (form: EntryForm): boolean => form.type.kind === 'singleType';
const localeOf = (form: EntryForm): Record<string, QueryValue> => (form.locale === null ? {} : { locale: form.locale });

/** Save values, or create the entry if it is new. */
export async function store(form: EntryForm, body: Values): Promise<Values> {
  const { uid } = form.type;
  if (isSingle(form)) {
    return (await call('PUT /content-manager/single-types/:uid', { path: { uid }, query: localeOf(form), body, headers: seen(form) })) as Values;
  }
  if (form.id !== null) {
    return (await call('PUT /content-manager/collection-types/:uid/:id', { path: { uid, id: form.id }, body, headers: seen(form) })) as Values;
  }
  if (form.origin !== null) {
    return (await call('POST /content-manager/collection-types/:uid/clone/:id', { path: { uid, id: form.origin }, body })) as Values;
  }
  const query = { ...localeOf(form), relatedEntityId: form.related };
  return (await call('POST /content-manager/collection-types/:uid', { path: { uid }, query, body })) as Values;
}

export async function setPublished(form: EntryForm, isPublished: boolean): Promise<Values> {
  const { uid } = form.type;
  const headers = seen(form);
  if (isSingle(form)) {
    const options = { path: { uid }, query: localeOf(form), headers };
    return (await (isPublished
      ? call('POST /content-manager/single-types/:uid/actions/publish', options)
      : call('POST /content-manager/single-types/:uid/actions/unpublish', options))) as Values;
  }
  const options = { path: { uid, id: form.id! }, headers };
  return (await (isPublished
    ? call('POST /content-manager/collection-types/:uid/:id/actions/publish', options)
    : call('POST /content-manager/collection-types/:uid/:id/actions/unpublish', options))) as Values;
}

export async function remove(form: EntryForm): Promise<void> {
  const { uid } = form.type;
  if (isSingle(form)) await call('DELETE /content-manager/single-types/:uid', { path: { uid }, query: localeOf(form) });
  else await call('DELETE /content-manager/collection-types/:uid/:id', { path: { uid, id: form.id! } });
}

/** Return the number of related drafts, which stay invisible when the entry is published. */
export async function countDrafts(form: EntryForm): Promise<number> {
  const { uid } = form.type;
  const answer = await (isSingle(form)
    ? call('GET /content-manager/single-types/:uid/actions/countDraftRelations', { path: { uid }, query: localeOf(form) })
    : call('GET /content-manager/collection-types/:uid/:id/actions/countDraftRelations', { path: { uid, id: form.id! } }));
  return (answer as { data: number }).data;
}
