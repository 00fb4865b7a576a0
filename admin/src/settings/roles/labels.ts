/** Labels of administrator permissions: their names, groups, conditions and fields, in the language of the pages. */
import type { ContentAction, Definitions, GrantedCondition, SettingsAction, Views } from '../../api/operations';
import { componentOf, contentTypeOf } from '../../content/model/definitions';
import { labelOf } from '../../content/fields/props';
import { t, type MessageKey } from '../../messages/index.svelte';
import { readableName } from '../../messages/names';

/** By the last part of the action's id. */
const VERBS: Readonly<Record<string, MessageKey>> = {
  create: 'rights.create',
  read: 'rights.read',
  update: 'rights.update',
  delete: 'rights.delete',
  publish: 'rights.publish',
  regenerate: 'rights.regenerate',
  access: 'rights.access',
  'configure-view': 'view.configure',
  'configure-layout': 'view.configure',
};
const ACTIONS: Readonly<Record<string, MessageKey>> = {
  'plugin::email.settings.read': 'rights.access',
  'plugin::upload.settings.read': 'rights.access',
  'plugin::upload.read': 'rights.media.read',
  'plugin::upload.assets.create': 'rights.media.create',
  'plugin::upload.assets.update': 'rights.media.update',
  'plugin::upload.assets.download': 'rights.media.download',
  'plugin::upload.assets.copy-link': 'rights.media.copyLink',
  'admin::marketplace.read': 'rights.marketplace.read',
  'admin::users.create': 'rights.invite',
};
/** By owner and subcategory, or by owner alone; the message of the owner comes first. */
const GROUPS: Readonly<Record<string, readonly MessageKey[]>> = {
  'content-manager/single types': ['nav.content', 'nav.singles'],
  'content-manager/collection types': ['nav.content', 'nav.collections'],
  'content-manager/components': ['nav.content', 'builder.components'],
  'content-type-builder': ['nav.builder'],
  upload: ['nav.media'],
  'users-permissions/roles': ['settings.site', 'settings.siteRoles'],
  'users-permissions/providers': ['settings.site', 'settings.siteProviders'],
  'users-permissions/emailTemplates': ['settings.site', 'settings.siteTemplates'],
  'users-permissions/advancedSettings': ['settings.site', 'settings.siteAdvanced'],
  email: ['settings.email'],
  'media library': ['settings.media'],
  Internationalization: ['settings.locales'],
  'plugins and marketplace': ['rights.marketplace'],
  webhooks: ['settings.webhooks'],
  'users and roles/users': ['settings.users'],
  'users and roles/roles': ['settings.roles'],
  'api tokens': ['settings.apiTokens'],
  project: ['rights.project'],
  'transfer tokens': ['settings.transferTokens'],
};
const CONDITIONS: Readonly<Record<string, MessageKey>> = {
  'admin::is-creator': 'rights.condition.isCreator',
  'admin::has-same-role-as-creator': 'rights.condition.hasSameRole',
};

function nameOf(id: string, otherwise: string): string {
  const key = ACTIONS[id] ?? VERBS[id.slice(id.lastIndexOf('.') + 1)];
  return key ? t(key) : otherwise;
}

export const contentActionName = (action: ContentAction): string => nameOf(action.actionId, action.label);
export const settingsActionName = (action: SettingsAction): string => nameOf(action.action, action.displayName);

export function groupName({ plugin, category, subCategory }: SettingsAction): string {
  const owner = plugin ?? category ?? '';
  const keys = GROUPS[`${owner}/${subCategory}`] ?? GROUPS[owner];
  const [group, name] = keys ? keys.map((key) => t(key)) : [readableName(owner), readableName(subCategory)];
  return name ? t('rights.of', { group: group ?? '', name }) : (group ?? '');
}

/** Conditions of the project have the names that its code gives them. */
export function conditionName({ id, displayName }: GrantedCondition): string {
  const key = CONDITIONS[id];
  return key ? t(key) : displayName;
}

/** The label of the last field of a path (`seo.metaTitle`), as the entry's form shows it. */
export function fieldLabel(path: string, uid: string, definitions: Definitions | undefined, views: Views | undefined): string {
  const names = path.split('.');
  const last = names.pop() ?? path;
  let type = contentTypeOf(definitions, uid) ?? componentOf(definitions, uid);
  let view = views?.contentType;
  for (const name of names) {
    const component = type?.attributes[name]?.component ?? '';
    type = componentOf(definitions, component);
    view = views?.components[component];
  }
  return labelOf(last, view?.metadatas[last]?.edit ?? {});
}
