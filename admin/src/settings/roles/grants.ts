/** What a role is granted, by action and content-type, and what can be. */
import type { ContentAction, ContentSection, Grant, GrantedField, GrantedSubject, Right } from '../../api/operations';

/** One right: null where there is nothing to limit it to. */
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

/** The actions that can be granted on a content-type. */
export function actionsOn(section: ContentSection, uid: string): ContentAction[] {
  return section.actions.filter((action) => action.subjects.includes(uid));
}

function childrenOf(subject: GrantedSubject, property: string): GrantedField[] {
  return subject.properties.find((one) => one.value === property)?.children ?? [];
}

export const fieldsOf = (subject: GrantedSubject): GrantedField[] => childrenOf(subject, 'fields');
export const localesOf = (subject: GrantedSubject): GrantedField[] => childrenOf(subject, 'locales');

/** The paths of what lies in a field: its own, where it is no component. */
export function leavesOf(field: GrantedField, before = ''): string[] {
  const path = before + field.value;
  return field.children?.length ? field.children.flatMap((child) => leavesOf(child, `${path}.`)) : [path];
}

/** A right to all of a content-type. */
export function wholeRight(action: ContentAction, subject: GrantedSubject, before?: Granted): Granted {
  const limits = action.applyToProperties ?? [];
  const hasLocales = limits.includes('locales') && localesOf(subject).length > 0;
  return {
    fields: limits.includes('fields') ? fieldsOf(subject).flatMap((field) => leavesOf(field)) : null,
    locales: hasLocales ? localesOf(subject).map((locale) => locale.value) : null,
    conditions: before?.conditions ?? [],
  };
}

/** How much of it is granted. */
export function extentOf(granted: Granted | undefined, action: ContentAction, subject: GrantedSubject): 'none' | 'some' | 'all' {
  if (!granted) return 'none';
  const whole = wholeRight(action, subject);
  const hasAll = (given: string[] | null, all: string[] | null): boolean => all?.every((one) => given?.includes(one)) ?? true;
  return hasAll(granted.fields, whole.fields) && hasAll(granted.locales, whole.locales) ? 'all' : 'some';
}

/** The list with others in it, or without them. */
export function changed(list: readonly string[], others: readonly string[], isIn: boolean): string[] {
  const rest = list.filter((one) => !others.includes(one));
  return isIn ? [...rest, ...others] : rest;
}
