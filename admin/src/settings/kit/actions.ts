/** The actions of the content API that tokens and user roles can have. */
import type { Definitions } from '../../api/operations';
import { contentTypeOf } from '../../content/model/definitions';
import { t, type MessageKey } from '../../messages/index.svelte';
import { readableName } from '../../messages/names';

interface ActionOf {
  name: string;
  uid: string;
}
export interface ActionGroup {
  /** `api::article` or `plugin::upload` */
  owner: string;
  controllers: readonly { name: string; actions: readonly ActionOf[] }[];
}

/** Labels by action name, for all owners. */
const ACTIONS: Readonly<Record<string, MessageKey>> = {
  find: 'rights.list',
  findOne: 'rights.read',
  create: 'rights.create',
  update: 'rights.update',
  delete: 'rights.delete',
  destroy: 'rights.delete',
  count: 'rights.count',
  createLocalization: 'rights.createLocalization',
};
const OF_PLUGINS: Readonly<Record<string, MessageKey>> = {
  'plugin::content-type-builder.components.getComponents': 'rights.list',
  'plugin::content-type-builder.components.getComponent': 'rights.read',
  'plugin::content-type-builder.content-types.getContentTypes': 'rights.list',
  'plugin::content-type-builder.content-types.getContentType': 'rights.read',
  'plugin::email.email.send': 'rights.send',
  'plugin::i18n.locales.listLocales': 'rights.list',
  'plugin::upload.content-api.upload': 'rights.upload',
  'plugin::upload.content-api.readPrivate': 'rights.readPrivate',
  'plugin::users-permissions.auth.callback': 'rights.signIn',
  'plugin::users-permissions.auth.connect': 'rights.signInWith',
  'plugin::users-permissions.auth.register': 'rights.register',
  'plugin::users-permissions.auth.changePassword': 'rights.changePassword',
  'plugin::users-permissions.auth.forgotPassword': 'rights.forgotPassword',
  'plugin::users-permissions.auth.resetPassword': 'rights.resetPassword',
  'plugin::users-permissions.auth.emailConfirmation': 'rights.confirmEmail',
  'plugin::users-permissions.auth.sendEmailConfirmation': 'rights.sendConfirmation',
  'plugin::users-permissions.user.me': 'rights.me',
  'plugin::users-permissions.role.createRole': 'rights.create',
  'plugin::users-permissions.role.updateRole': 'rights.update',
  'plugin::users-permissions.role.deleteRole': 'rights.delete',
  'plugin::users-permissions.permissions.getPermissions': 'rights.list',
};
const OWNERS: Readonly<Record<string, MessageKey>> = {
  'plugin::content-type-builder': 'nav.builder',
  'plugin::email': 'settings.email',
  'plugin::i18n': 'settings.locales',
  'plugin::upload': 'nav.media',
  'plugin::users-permissions': 'settings.site',
};
const CONTROLLERS: Readonly<Record<string, MessageKey>> = {
  'plugin::content-type-builder.components': 'builder.components',
  'plugin::content-type-builder.content-types': 'nav.builder',
  'plugin::email.email': 'settings.email',
  'plugin::i18n.locales': 'list.locales',
  'plugin::upload.content-api': 'media.files',
  'plugin::users-permissions.auth': 'rights.authentication',
  'plugin::users-permissions.permissions': 'roles.rights',
  'plugin::users-permissions.role': 'settings.roles',
  'plugin::users-permissions.user': 'site.users',
};

/** Return the name of an API or plugin. The API of a content type has the name of the type. */
export function ownerName(owner: string, definitions: Definitions | undefined): string {
  const key = OWNERS[owner];
  if (key) return t(key);
  const name = owner.replace(/^(api|plugin)::/, '');
  return contentTypeOf(definitions, `${owner}.${name}`)?.info.displayName ?? readableName(name);
}

export function controllerName(owner: string, name: string, definitions: Definitions | undefined): string {
  const key = CONTROLLERS[`${owner}.${name}`];
  return key ? t(key) : (contentTypeOf(definitions, `${owner}.${name}`)?.info.displayName ?? readableName(name));
}

/** `find` lists entries where `findOne` reads one; a single type has only `find`, which reads its entry. */
export function actionName({ name, uid }: ActionOf, controller: readonly ActionOf[]): string {
  const isSingle = name === 'find' && !controller.some((one) => one.name === 'findOne');
  const key = OF_PLUGINS[uid] ?? ACTIONS[isSingle ? 'findOne' : name];
  return key ? t(key) : readableName(name);
}

/** Return the groups of a tree of owners, controllers and actions, with those of the project first. */
export function groupsOf(tree: Readonly<Record<string, { controllers: Readonly<Record<string, readonly string[]>> }>>): ActionGroup[] {
  const groups = Object.entries(tree).map(([owner, { controllers }]) => ({
    owner,
    controllers: Object.entries(controllers).map(([name, actions]) => ({
      name,
      actions: actions.map((action) => ({ name: action, uid: `${owner}.${name}.${action}` })),
    })),
  }));
  const isPlugin = (group: ActionGroup): number => Number(group.owner.startsWith('plugin::'));
  return groups.sort((a, b) => isPlugin(a) - isPlugin(b) || a.owner.localeCompare(b.owner));
}

/** Return the routes of each action, such as `GET /api/articles`. */
export function routesByAction(
  routes: Readonly<Record<string, readonly { method: string; path: string; handler: string }[]>>,
): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const route of Object.values(routes).flat()) {
    const known = found.get(route.handler) ?? [];
    found.set(route.handler, [...known, `${route.method} ${route.path}`]);
  }
  return found;
}
