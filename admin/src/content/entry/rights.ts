/** Permissions on the fields of a content type. The server checks them too. */
import type { Right } from '../../api/operations';

export type Action = 'create' | 'read' | 'update' | 'delete' | 'publish';
export const actionName = (action: Action): string => `plugin::content-manager.explorer.${action}`;

/** Whether a field can be read or written. Indexes in its path (`zone.2.title`) are ignored. */
export type MayTouch = (path: string) => boolean;

/** Return a check for the fields on which an action is allowed, in a locale if the type has several. */
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

/** Whether an action is allowed, in a locale if the type has several. */
export function mayDo(rights: readonly Right[], action: Action, subject: string, locale: string | null): boolean {
  return rights.some((right) => right.action === actionName(action) && right.subject === subject && speaks(right, locale));
}

function speaks(right: Right, locale: string | null): boolean {
  const { locales } = right.properties;
  return locale === null || !locales || locales.includes(locale);
}

/** `seo` includes `seo.title`; permission for `seo.title` also shows `seo`. */
function covers(field: string, path: string): boolean {
  return field === path || path.startsWith(`${field}.`) || field.startsWith(`${path}.`);
}
