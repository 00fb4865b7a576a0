/** The content API's actions, as they are granted to tokens and to roles of users. */
export interface ActionGroup {
  /** `api::article` or `plugin::upload` */
  owner: string;
  controllers: readonly { name: string; actions: readonly { name: string; uid: string }[] }[];
}

/** `api::article` as people read it: article. */
export function ownerName(owner: string): string {
  return owner.replace(/^(api|plugin)::/, '');
}

/** Groups of a tree of owners, controllers and actions; those of the project first. */
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

/** The routes of each action: `GET /api/articles`. */
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
