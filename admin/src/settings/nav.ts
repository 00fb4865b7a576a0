/** The pages of settings, in groups, each for those who may see it. */
import { may, session } from '../app/session.svelte';
import type { MessageKey } from '../messages/index.svelte';

export interface SettingsEntry {
  path: string;
  key: MessageKey;
  isOpen: () => boolean;
}
export interface SettingsGroup {
  key: MessageKey;
  entries: readonly SettingsEntry[];
}

const SUPER = 'strapi-super-admin';

export function isSuperAdmin(): boolean {
  return session.user?.roles?.some((role) => role.code === SUPER) ?? false;
}

const entry = (path: string, key: MessageKey, ...actions: string[]): SettingsEntry => ({
  path,
  key,
  isOpen: () => actions.length === 0 || actions.some((action) => may(action)),
});

const GROUPS: readonly SettingsGroup[] = [
  {
    key: 'settings.administration',
    entries: [entry('/settings/users', 'settings.users', 'admin::users.read')],
  },
];

export function openGroups(): SettingsGroup[] {
  return GROUPS.map((group) => ({ ...group, entries: group.entries.filter((one) => one.isOpen()) })).filter(
    (group) => group.entries.length > 0,
  );
}
