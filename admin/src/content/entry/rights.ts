/** Which fields of a content-type one may read and write. The service checks it again. */
import type { Right } from '../../api/operations';

export type Action = 'create' | 'read' | 'update' | 'delete' | 'publish';
export const actionName = (action: Action): string => `plugin::content-manager.explorer.${action}`;

/** Whether a field may be touched; of a path (`zone.2.title`) the indexes do not count. */
export type MayTouch = (path: string) => boolean;

/** What the rights to an action on a content-type say of fields, in a locale where the type has several. */
export function fieldRights(rights: readonly Right[], action: Action, subject: string, locale: string | null): MayTouch {
  const held = rights.filter((right) => right.action === actionName(action) && right.subject === subject && speaks(right, locale));
  const listed = held.map((right) => right.properties.fields);
  if (listed.some((fields) => !fields)) return () => true;
  const fields = listed.flatMap((found) => found ?? []);
  const known = new Map<string, boolean>();
  return (path) => {
    const name = path.replace(/\.\d+(?=\.|$)/g, '');
    let is = known.get(name);
    if (is === undefined) known.set(name, (is = fields.some((field) => covers(field, name))));
    return is;
  };
}

/** Whether an action is allowed at all, in a locale. */
export function mayDo(rights: readonly Right[], action: Action, subject: string, locale: string | null): boolean {
  return rights.some((right) => right.action === actionName(action) && right.subject === subject && speaks(right, locale));
}

function speaks(right: Right, locale: string | null): boolean {
  const { locales } = right.properties;
  return locale === null || !locales || locales.includes(locale);
}

/** `seo` covers `seo.title`, and `seo.title` shows that there is a `seo`. */
function covers(field: string, path: string): boolean {
  return field === path || path.startsWith(`${field}.`) || field.startsWith(`${path}.`);
}
