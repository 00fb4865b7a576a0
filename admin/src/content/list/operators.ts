/** Filter operators, by v4's names. */
import type { Attribute } from '../../api/operations';
import { t, type MessageKey } from '../../messages/index.svelte';
import { isToMany } from './relations';

const EMPTY = ['null', 'notNull'] as const;
const EQUAL = ['eq', 'ne'] as const;
const LISTED = ['in', 'notIn'] as const;
const ORDERED = ['gt', 'gte', 'lt', 'lte', 'between'] as const;
const WITHIN_PERIOD = ['within'] as const;
const TEXT = [
  'containsi',
  'contains',
  'notContainsi',
  'notContains',
  'eq',
  'eqi',
  'ne',
  'nei',
  'startsWith',
  'startsWithi',
  'endsWith',
  'endsWithi',
] as const;
type Operator = (typeof EMPTY | typeof WITHIN_PERIOD | typeof EQUAL | typeof LISTED | typeof ORDERED | typeof TEXT)[number];

const OF_ORDERED: readonly Operator[] = [...EQUAL, ...ORDERED, ...LISTED, ...EMPTY];
const OF_DAYS: readonly Operator[] = [...WITHIN_PERIOD, ...OF_ORDERED];
const OF_TYPES: Readonly<Record<string, readonly Operator[]>> = {
  string: [...TEXT, ...LISTED, ...EMPTY],
  text: [...TEXT, ...LISTED, ...EMPTY],
  richtext: [...TEXT, ...EMPTY],
  email: [...TEXT, ...LISTED, ...EMPTY],
  uid: [...TEXT, ...LISTED, ...EMPTY],
  enumeration: [...EQUAL, ...LISTED, ...EMPTY],
  boolean: [...EQUAL, ...EMPTY],
  integer: OF_ORDERED,
  biginteger: OF_ORDERED,
  float: OF_ORDERED,
  decimal: OF_ORDERED,
  date: OF_DAYS,
  time: OF_ORDERED,
  datetime: OF_DAYS,
  timestamp: OF_DAYS,
};

/**
 * Return the operators for an attribute, the most common one first; none for passwords. Relations to several types and
 * values without an order can only be empty or not.
 */
export function operatorsOf(attribute: Attribute): readonly Operator[] {
  if (attribute.type === 'relation' && attribute.target) return ['eq', ...EMPTY];
  return attribute.type === 'password' ? [] : (OF_TYPES[attribute.type] ?? EMPTY);
}

/** Return an operator's label; an unknown operator is returned unchanged. */
export function operatorName(operator: string, attribute?: Attribute): string {
  if (attribute && isPicked(attribute, operator) && isToMany(attribute)) return t('list.op.includes');
  const key = `list.op.${operator.slice(1)}` as MessageKey;
  return t(key) ?? operator;
}

/** Whether the value is a related entry that the user selects. */
export const isPicked = (attribute: Attribute, operator: string): boolean => attribute.type === 'relation' && operator === '$eq';

export const takesNothing = (operator: string): boolean => operator === '$null' || operator === '$notNull';
