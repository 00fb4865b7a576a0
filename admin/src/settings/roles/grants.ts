/** The granted and available permissions of a role, by action and content type. */
import type { ContentAction, ContentSection, Grant, GrantedField, GrantedSubject, Right } from '../../api/operations';

/** A permission. Null: it cannot be limited. */
export interface Granted {
  fields: string[] | null;
  locales: string[] | null;
  conditions: string[];
}
export type Grants = Record<string, Granted>;

export function keyOf(action: string, subject: string | null = null): string {
  return `${action} ${subject ?? ''}`;
}

export function readGrants(rights: readonly Right[]): Grants {
  const sorted = [...rights].sort((a, b) => (keyOf(a.action, a.subject) < keyOf(b.action, b.subject) ? -1 : 1));
  return Object.fromEntries(
    sorted.map(({ action, subject, properties, conditions }) => [
      keyOf(action, subject),
      { fields: properties.fields ?? null, locales: properties.locales ?? null, conditions: [...conditions] },
    ]),
  );
}

export function writeGrants(grants: Grants): Grant[] {
  return Object.entries(grants).map(([key, { fields, locales, conditions }]) => {
    const [action = '', subject = ''] = key.split(' ');
    return {
      action,
      subject: subject || null,
      properties: { ...(fields && { fields }), ...(locales && { locales }) },
      conditions,
    };
  });
}

/** Return the actions that can be granted on a content type. */
export function actionsOn(section: ContentSection, uid: string): ContentAction[] {
  return section.actions.filter((action) => action.subjects.includes(uid));
}

function childrenOf(subject: GrantedSubject, property: string): GrantedField[] {
  return subject.properties.find((one) => one.value === property)?.children ?? [];
}

export const fieldsOf = (subject: GrantedSubject): GrantedField[] => childrenOf(subject, 'fields');
export const localesOf = (subject: GrantedSubject): GrantedField[] => childrenOf(subject, 'locales');

/** Return the paths of the fields inside a component, or the path of a simple field. */
export function leavesOf(field: GrantedField, before = ''): string[] {
  const path = before + field.value;
  return field.children?.length ? field.children.flatMap((child) => leavesOf(child, `${path}.`)) : [path];
}

/** Return an unlimited permission for a content type. */
export function wholeRight(action: ContentAction, subject: GrantedSubject, before?: Granted): Granted {
  const limits = action.applyToProperties ?? [];
  const hasLocales = limits.includes('locales') && localesOf(subject).length > 0;
  return {
    fields: limits.includes('fields') ? fieldsOf(subject).flatMap((field) => leavesOf(field)) : null,
    locales: hasLocales ? localesOf(subject).map((locale) => locale.value) : null,
    conditions: before?.conditions ?? [],
  };
}

/** Return how much of an action is granted. */
export function extentOf(granted: Granted | undefined, action: ContentAction, subject: GrantedSubject): 'none' | 'some' | 'all' {
  if (!granted) return 'none';
  const whole = wholeRight(action, subject);
  const hasAll = (given: string[] | null, all: string[] | null): boolean => all?.every((one) => given?.includes(one)) ?? true;
  return hasAll(granted.fields, whole.fields) && hasAll(granted.locales, whole.locales) ? 'all' : 'some';
}

/** Return the list with items added or removed. */
export function changed(list: readonly string[], others: readonly string[], isIn: boolean): string[] {
  const rest = list.filter((one) => !others.includes(one));
  return isIn ? [...rest, ...others] : rest;
}
