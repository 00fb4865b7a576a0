/** Filters of a list as URL parameters, in v4's format: `filters[$and][0][author][name][$containsi]=x`. */
import type { QueryValue } from '../../api/query';
import { isPeriod, WITHIN } from './periods';
import { isStatus } from './status';

/**
 * `path` names an attribute, possibly of a relation or component. `$in`, `$notIn` and `$between` have several `values`.
 */
export interface Condition {
  path: readonly string[];
  operator: string;
  values: readonly string[];
}

/** Whether entries must match all conditions, or any of them. */
export type Match = 'all' | 'any';

/**
 * Conditions nested in a list. A group combines them the other way: with "any" if the list matches all, and vice versa.
 */
export interface Group {
  conditions: readonly Condition[];
}

export type Item = Condition | Group;

export interface Filters {
  /** Conditions on the status, which always apply, whatever `match` is. */
  status: readonly Condition[];
  match: Match;
  items: readonly Item[];
  /** Parameters that the page cannot edit, such as deeper groups. They apply too. */
  others: readonly Parameter[];
}

type Parameter = readonly [key: string, value: string];
type Logic = '$and' | '$or';
/** The conditions at one index of `$and` or `$or`, by the operator and index of the nested group. */
type Places = Map<string, Condition[]>;

export const NO_FILTERS: Filters = { status: [], match: 'all', items: [], others: [] };
export const hasFilters = ({ status, items, others }: Filters): boolean => status.length + items.length + others.length > 0;
export const isGroup = (item: Item): item is Group => 'conditions' in item;
export const conditionsOf = (item: Item): readonly Condition[] => (isGroup(item) ? item.conditions : [item]);
/** Return a group, or the condition itself if there is only one. */
export const itemOf = (conditions: readonly Condition[]): Item | undefined => (conditions.length > 1 ? { conditions } : conditions[0]);
export const otherMatch = (match: Match): Match => (match === 'all' ? 'any' : 'all');

const LISTS = new Set(['$in', '$notIn', '$between']);
const LOGIC: Readonly<Record<Match, Logic>> = { all: '$and', any: '$or' };
const KEY = /^filters\[(\$and|\$or)\]\[(\d+)\](?:\[(\$and|\$or)\]\[(\d+)\])?((?:\[[^\][$]+\])+)\[(\$\w+)\](?:\[(\d*)\])?$/;
const ROOT = /^filters\[(\$and|\$or)\]\[(\d+)\](\[\$(?:and|or)\])?/;

export const takesList = (operator: string): boolean => LISTS.has(operator);

/** Read the filters of a URL. Parameters that the page cannot show completely are returned in `others`. */
export function readFilters(entries: Iterable<[string, string]>): Filters {
  const given = [...entries].filter(([key]) => key.startsWith('filters'));
  const unreadable = new Set(given.filter((parameter) => !parse(parameter)).map(([key]) => rootOf(key)));
  const found = { $and: new Map<string, Places>(), $or: new Map<string, Places>() };
  for (const parameter of given) if (!unreadable.has(rootOf(parameter[0]))) collect(found, parameter);
  const required = [...found.$and].flatMap(([place, places]) => {
    const items = requiredItems(places);
    if (!items) unreadable.add(rootOf(`filters[$and][${place}][$or]`));
    return items ?? plainConditions(places);
  });
  const isOfStatus = (item: Item): item is Condition => !isGroup(item) && isStatus(item);
  const status = required.filter(isOfStatus);
  const rest = required.filter((item) => !isOfStatus(item));
  const alternatives = [...found.$or.values()].flatMap((places) => alternativeOf(places) ?? []);
  const isWhole = alternatives.length === found.$or.size;
  const keep = (): Parameter[] => given.filter(([key]) => unreadable.has(rootOf(key)));
  if (alternatives.length && isWhole && !rest.length) return { status, match: 'any', items: alternatives, others: keep() };
  const group = isWhole && !alternatives.some(isGroup) ? itemOf(alternatives as Condition[]) : undefined;
  if (!group) unreadable.add('$or');
  return { status, match: 'all', items: group ? [...rest, group] : rest, others: keep() };
}

/**
 * Return the key of the parameters that belong together: all of `$or`, or one index of `$and`. Showing only some of
 * them would select other entries.
 */
function rootOf(key: string): string {
  const [root, logic, place, inner] = ROOT.exec(key) ?? [];
  if (root === undefined) return key;
  return logic === '$or' ? logic : inner ? `${place} ${inner}` : key;
}

function parse([key, value]: Parameter): RegExpExecArray | null {
  const found = KEY.exec(key);
  const operator = found?.[6] ?? '';
  const isKnown = operator !== WITHIN || isPeriod(value);
  return isKnown && takesList(operator) === (found?.[7] !== undefined) ? found : null;
}

function collect(found: Record<Logic, Map<string, Places>>, parameter: Parameter): void {
  const [, logic, place = '', inner, innerPlace, names = '', operator = ''] = parse(parameter) ?? [];
  const places: Places = setDefault(found[logic as Logic], place, () => new Map());
  const conditions: Condition[] = setDefault(places, inner ? `${inner} ${innerPlace}` : '', () => []);
  const path = names.slice(1, -1).split('][');
  const known = conditions.find((one) => one.operator === operator && one.path.join() === path.join());
  if (known) conditions[conditions.indexOf(known)] = { ...known, values: [...known.values, parameter[1]] };
  else conditions.push({ path, operator, values: [parameter[1]] });
}

const plainConditions = (places: Places): Condition[] => [...places].flatMap(([key, conditions]) => (key.startsWith('$or') ? [] : conditions));

/**
 * Return the items at one index of `$and`: its conditions, and a group for a nested `$or`. Undefined if that has
 * groups.
 */
function requiredItems(places: Places): Item[] | undefined {
  const inside = [...places].flatMap(([key, conditions]) => (key.startsWith('$or') ? [conditions] : []));
  const group = itemOf(inside.flat());
  if (inside.some((conditions) => conditions.length > 1)) return undefined;
  return group ? [...plainConditions(places), group] : plainConditions(places);
}

/** Return the item at one index of `$or`; undefined if it mixes conditions and groups. */
function alternativeOf(places: Places): Item | undefined {
  const isMixed = places.size > 1 && [...places.keys()].some((key) => key.startsWith('$or'));
  return isMixed ? undefined : itemOf([...places.values()].flat());
}

function setDefault<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key) ?? make();
  map.set(key, known);
  return known;
}

/** Return the parameters of filters, in order. `expand` can replace a condition by several that all apply. */
export function writeFilters({ status, match, items, others }: Filters, expand = (condition: Condition): readonly Condition[] => [condition]): [string, string][] {
  const write = (key: string, condition: Condition): [string, string][] =>
    expand(condition).flatMap(({ path, operator, values }) => {
      const named = `${key}[${path.join('][')}][${operator}]`;
      return values.map((value, at): [string, string] => [takesList(operator) ? `${named}[${at}]` : named, value]);
    });
  const required = status.flatMap((condition, index) => write(`filters[$and][${index}]`, condition));
  const start = match === 'all' ? status.length : 0;
  const written = items.flatMap((item, index) => {
    const key = `filters[${LOGIC[match]}][${start + index}]`;
    if (!isGroup(item)) return write(key, item);
    return item.conditions.flatMap((condition, at) => write(`${key}[${LOGIC[otherMatch(match)]}][${at}]`, condition));
  });
  return [...required, ...written, ...moved(others, match === 'all' ? start + items.length : status.length)];
}

/** Return parameters that the page cannot edit, moved to free indexes of `$and`. */
function moved(others: readonly Parameter[], start: number): [string, string][] {
  const places = new Map<string, number>();
  return others.map(([key, value]) => {
    const [root, logic, place] = ROOT.exec(key) ?? [];
    if (root === undefined || logic === undefined) return [key, value];
    const free = setDefault(places, logic === '$or' ? logic : (place ?? ''), () => start + places.size);
    const rest = key.slice(`filters[$and][${place}]`.length);
    return [logic === '$or' ? `filters[$and][${free}]${key.slice('filters'.length)}` : `filters[$and][${free}]${rest}`, value];
  });
}

/** Return the filters as the query of a request. */
export function filterQuery(filters: Filters, expand: (condition: Condition) => readonly Condition[]): Record<string, QueryValue> {
  return Object.fromEntries(writeFilters(filters, expand));
}
