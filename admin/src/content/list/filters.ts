/** Conditions of a list, as v4 writes them into addresses: `filters[$and][0][author][name][$containsi]=x`. */
import type { QueryValue } from '../../api/query';
import { isPeriod, WITHIN } from './periods';

/** `path` leads to an attribute, through relations and components; `values` has several for `$in` and its like. */
export interface Condition {
  path: readonly string[];
  operator: string;
  values: readonly string[];
}

/** The conditions of an address, and what else stands below `filters`, which nobody here has written. */
export interface Filters {
  conditions: readonly Condition[];
  others: readonly (readonly [key: string, value: string])[];
}

export const NO_FILTERS: Filters = { conditions: [], others: [] };
const LISTS = new Set(['$in', '$notIn', '$between']);
const KEY = /^filters\[\$and\]\[(\d+)\]((?:\[[^\][$]+\])+)\[(\$\w+)\](?:\[(\d*)\])?$/;

export const takesList = (operator: string): boolean => LISTS.has(operator);

export function readFilters(entries: Iterable<[string, string]>): Filters {
  const found = new Map<string, { path: string[]; operator: string; values: string[] }>();
  const others: [string, string][] = [];
  for (const [key, value] of entries) {
    if (!key.startsWith('filters')) continue;
    const [, place, names, operator, index] = KEY.exec(key) ?? [];
    const isKnown = operator !== WITHIN || isPeriod(value);
    if (place === undefined || names === undefined || operator === undefined || !isKnown || takesList(operator) !== (index !== undefined)) {
      others.push([key, value]);
      continue;
    }
    const known = found.get(`${place} ${names} ${operator}`);
    if (known) known.values.push(value);
    else found.set(`${place} ${names} ${operator}`, { path: names.slice(1, -1).split(']['), operator, values: [value] });
  }
  return { conditions: [...found.values()], others };
}

/** The same as parameters, in order. */
export function writeFilters({ conditions, others }: Filters): [string, string][] {
  const written = conditions.flatMap(({ path, operator, values }, index) => {
    const key = `filters[$and][${index}][${path.join('][')}][${operator}]`;
    return values.map((value, at): [string, string] => [takesList(operator) ? `${key}[${at}]` : key, value]);
  });
  return [...written, ...others.map(([key, value]): [string, string] => [apart(key), value])];
}

/** A place of its own for what was not written here. */
function apart(key: string): string {
  return key.replace(/^(filters\[\$and\])\[(\d{1,2})\]/, (_, head: string, place: string) => `${head}[${Number(place) + 100}]`);
}

/** What the service is asked. */
export function filterQuery(filters: Filters): Record<string, QueryValue> {
  return Object.fromEntries(writeFilters(filters));
}
