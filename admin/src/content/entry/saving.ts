/** Sending what was changed. */
import { call } from '../../api/client';
import { ApiError } from '../../api/errors';
import { queries } from '../../app/queries';
import { t } from '../../messages/index.svelte';
import { toast } from '../../ui/toasts.svelte';
import { bodyOf } from './body';
import type { EntryForm, Values } from './form.svelte';
import { entryKey } from './queries';

/** Save what was changed: whether it is stored now. */
export async function save(form: EntryForm): Promise<boolean> {
  const [held] = form.held.keys();
  if (held !== undefined) {
    await form.reveal(held);
    return false;
  }
  form.isSaving = true;
  try {
    await send(form);
    toast('done', t('entry.saved'));
    return true;
  } catch (error) {
    await refuse(form, error);
    return false;
  } finally {
    form.isSaving = false;
  }
}

async function send(form: EntryForm): Promise<void> {
  const { uid } = form.type;
  const names = form.isNew ? Object.keys(form.values) : [...form.changed];
  const body = bodyOf(names, form.values, form.type.attributes, form.definitions);
  const answer = (await (form.type.kind === 'singleType'
    ? call('PUT /content-manager/single-types/:uid', { path: { uid }, body })
    : form.id === null
      ? call('POST /content-manager/collection-types/:uid', { path: { uid }, body })
      : call('PUT /content-manager/collection-types/:uid/:id', { path: { uid, id: form.id }, body }))) as Values;
  await queries.invalidateQueries({ queryKey: ['relations'] }); // what they lead to now is there before the change goes
  form.id = Number(answer.id);
  form.original = answer;
  form.values = structuredClone(answer);
  form.changed.clear();
  form.problems.clear();
  queries.setQueryData(entryKey(uid, form.type.kind === 'singleType' ? 'single' : form.id, form.locale), answer);
}

async function refuse(form: EntryForm, error: unknown): Promise<void> {
  if (!(error instanceof ApiError)) throw error;
  toast('failed', error.isOffline ? t('app.offline') : error.message);
  form.problems.clear();
  for (const problem of error.problems) form.problems.set(problem.path.join('.'), problem.message);
  const [first] = form.problems.keys();
  if (first !== undefined) await form.reveal(first);
}
