/**
 * Merging of a form's values with the server's, in place: unchanged objects stay, so that their components are not
 * recreated while the user types.
 */
import type { Attribute, Definitions } from '../../api/operations';
import { componentOf } from '../model/definitions';
import type { Values } from './form.svelte';

type Attributes = Readonly<Record<string, Attribute>>;

/** A value that both this user and another one have changed. */
export interface Conflict {
  path: string;
  attribute: Attribute;
  mine: unknown;
  theirs: unknown;
  /** Put their value into the form. */
  take: () => void;
}

/** Whether two values are equal as JSON. Undefined equals null. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (one === other || (one ?? null) === (other ?? null)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  for (const name of names) if (!isEqual((one as Values)[name], (other as Values)[name])) return false;
  return true;
}

/** Copy the server's values into the form's. Values that the response lacks are unchanged. */
export function takeAll(mine: Values, theirs: Values, attributes: Attributes, definitions: Definitions): void {
  if (theirs.id !== undefined && mine.id !== theirs.id) mine.id = theirs.id;
  for (const [name, attribute] of Object.entries(attributes)) take(mine, name, theirs, attribute, definitions);
}

/** Copy the server's value of one attribute. */
export function take(mine: Values, name: string, theirs: Values, attribute: Attribute, definitions: Definitions): void {
  if (name === 'id' || !(name in theirs)) return;
  const here = mine[name];
  const there = theirs[name];
  if (isEqual(here, there)) return;
  if (Array.isArray(here) && Array.isArray(there) && isMadeOfParts(attribute)) mine[name] = takeList(here, there, attribute, definitions);
  else if (isPart(here, attribute) && isPart(there, attribute) && isSamePart(here, there)) takeAll(here, there, partOf(attribute, there, definitions), definitions);
  else mine[name] = structuredClone(there);
}

function takeList(mine: Values[], theirs: Values[], attribute: Attribute, definitions: Definitions): Values[] {
  const found = theirs.map((there, index) => {
    const at = mine[index];
    const here = mine.find((item) => item.id === there.id && isSamePart(item, there)) ?? (at && isSamePart(at, there) ? at : undefined);
    if (!here) return structuredClone(there);
    takeAll(here, there, partOf(attribute, there, definitions), definitions);
    return here;
  });
  return found.length === mine.length && found.every((item, index) => item === mine[index]) ? mine : found;
}

const isMadeOfParts = (attribute: Attribute): boolean => attribute.type === 'component' || attribute.type === 'dynamiczone';
const isPart = (value: unknown, attribute: Attribute): value is Values =>
  attribute.type === 'component' && typeof value === 'object' && value !== null && !Array.isArray(value);
/** Whether two components are the same. One without an id matches any id. */
const isSamePart = (mine: Values, theirs: Values): boolean =>
  (mine.id === undefined || mine.id === theirs.id) && mine.__component === theirs.__component;

export function partOf(attribute: Attribute, item: Values, definitions: Definitions): Attributes {
  return componentOf(definitions, attribute.component ?? String(item.__component))?.attributes ?? {};
}

/**
 * Remember the components of a value that is about to be sent. The returned function gives new ones their ids from the
 * response, even after they were moved.
 */
export function noteParts(value: unknown, attribute: Attribute, definitions: Definitions): (answered: unknown) => void {
  if (!isMadeOfParts(attribute) || typeof value !== 'object' || value === null) return () => undefined;
  if (Array.isArray(value)) {
    const noted = value.map((item: Values) => noteParts(item, { ...attribute, type: 'component', repeatable: false, component: attribute.component ?? String(item.__component) }, definitions));
    return (answered) => Array.isArray(answered) && noted.forEach((give, index) => give(answered[index]));
  }
  const item = value as Values;
  const inner = Object.entries(partOf(attribute, item, definitions)).map(([name, one]) => [name, noteParts(item[name], one, definitions)] as const);
  return (answered) => {
    if (typeof answered !== 'object' || answered === null) return;
    item.id ??= (answered as Values).id;
    for (const [name, give] of inner) give((answered as Values)[name]);
  };
}

/**
 * Apply what only others have changed since `base`. Return conflicts, which keep the form's values. Relations never
 * conflict, because they are sent as added and removed links.
 */
export function mergeAll(mine: Values, base: Values, theirs: Values, attributes: Attributes, definitions: Definitions, within = ''): Conflict[] {
  const conflicts: Conflict[] = [];
  for (const [name, attribute] of Object.entries(attributes)) {
    if (name === 'id' || attribute.type === 'password' || !(name in theirs) || isEqual(theirs[name], base[name])) continue;
    const path = within ? `${within}.${name}` : name;
    const [here, before, there] = [mine[name], base[name], theirs[name]];
    if (isEqual(here, before)) take(mine, name, theirs, attribute, definitions);
    else if (attribute.type === 'relation' || isEqual(here, there)) continue;
    else if (isPart(here, attribute) && isPart(before, attribute) && isPart(there, attribute) && isSamePart(here, there))
      conflicts.push(...mergeAll(here, before, there, partOf(attribute, there, definitions), definitions, path));
    else conflicts.push({ path, attribute, mine: here, theirs: there, take: () => take(mine, name, theirs, attribute, definitions) });
  }
  return conflicts;
}
