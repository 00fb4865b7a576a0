/** Titles of the entries that conditions compare with, read once. Entries that the user cannot read are shown by id. */
import { call } from '../../api/client';
import { nameOf } from '../../app/people';
import { may, session } from '../../app/session.svelte';
import { t } from '../../messages/index.svelte';
import type { FilterField } from './fields';

export const ADMINISTRATOR = 'admin::user';
const titles = $state<Record<string, string>>({});
const requested = new Set<string>();
const keyOf = (target: string, id: string): string => `${target} ${id}`;
export const isMe = (target: string | undefined, id: string): boolean => target === ADMINISTRATOR && id === String(session.user?.id);

export function rememberTitle(target: string, id: string, title: string): void {
  titles[keyOf(target, id)] = title;
}

export function titleOfEntry({ attribute, mainField = 'id' }: FilterField, id: string): string {
  const target = attribute.target ?? '';
  if (isMe(target, id)) return t('list.filter.me');
  const key = keyOf(target, id);
  if (!requested.has(key)) {
    requested.add(key);
    void readTitle(target, id, mainField).then(
      (title) => title && rememberTitle(target, id, title),
      () => undefined,
    );
  }
  return titles[key] ?? `${t('list.id')} ${id}`;
}

async function readTitle(target: string, id: string, mainField: string): Promise<string | undefined> {
  if (target === ADMINISTRATOR) {
    if (!may('admin::users.read')) return undefined;
    const { results } = (await call('GET /admin/users', { query: { filters: { id: { $eq: id } } } })).data;
    return results[0] && nameOf(results[0]);
  }
  const entry = (await call('GET /content-manager/collection-types/:uid/:id', { path: { uid: target, id } })) as Record<string, unknown>;
  const title = entry[mainField];
  return title === null || title === undefined || title === '' ? undefined : String(title);
}
