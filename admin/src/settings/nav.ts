/** The settings pages in groups, with the permission that each needs. */
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

export const SUPER = 'strapi-super-admin';

export function isSuperAdmin(): boolean {
  return session.user?.roles?.some((role) => role.code === SUPER) ?? false;
}

const entry = (path: string, key: MessageKey, ...actions: string[]): SettingsEntry => ({
  path: `/settings/${path}`,
  key,
  isOpen: () => actions.some((action) => may(action)),
});
const forSuperAdmins = (path: string, key: MessageKey): SettingsEntry => ({ path: `/settings/${path}`, key, isOpen: isSuperAdmin });

const GROUPS: readonly SettingsGroup[] = [
  {
    key: 'settings.global',
    entries: [
      { path: '/settings/application-infos', key: 'settings.application', isOpen: () => true },
      entry('internationalization', 'settings.locales', 'plugin::i18n.locale.read'),
      entry('media-library', 'settings.media', 'plugin::upload.settings.read'),
      entry('email', 'settings.email', 'plugin::email.settings.read'),
      entry('api-tokens', 'settings.apiTokens', 'admin::api-tokens.read'),
      entry('transfer-tokens', 'settings.transferTokens', 'admin::transfer.tokens.read'),
      entry('webhooks', 'settings.webhooks', 'admin::webhooks.read'),
    ],
  },
  {
    key: 'settings.administration',
    entries: [
      entry('roles', 'settings.roles', 'admin::roles.read'),
      entry('users', 'settings.users', 'admin::users.read'),
    ],
  },
  {
    key: 'settings.site',
    entries: [
      entry('users-permissions/roles', 'settings.siteRoles', 'plugin::users-permissions.roles.read'),
      entry('users-permissions/providers', 'settings.siteProviders', 'plugin::users-permissions.providers.read'),
      entry('users-permissions/email-templates', 'settings.siteTemplates', 'plugin::users-permissions.email-templates.read'),
      entry('users-permissions/advanced-settings', 'settings.siteAdvanced', 'plugin::users-permissions.advanced-settings.read'),
    ],
  },
  {
    key: 'settings.operations',
    entries: [
      forSuperAdmins('system', 'settings.system'),
      forSuperAdmins('jobs', 'settings.jobs'),
      forSuperAdmins('audit', 'settings.audit'),
    ],
  },
];

export function openGroups(): SettingsGroup[] {
  return GROUPS.map((group) => ({ ...group, entries: group.entries.filter((one) => one.isOpen()) })).filter(
    (group) => group.entries.length > 0,
  );
}

/** Whether the user has permission for the settings page at a path, or for the list that the page belongs to. */
export function mayOpen(path: string): boolean {
  const entries = GROUPS.flatMap((group) => group.entries);
  const found = entries.find((one) => path === one.path || path.startsWith(`${one.path}/`));
  return found?.isOpen() ?? true;
}
