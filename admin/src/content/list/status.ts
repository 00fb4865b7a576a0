/** The status as a condition on `publishedAt`, as in v4. */
import type { Condition, Filters } from './filters';

export type Status = 'draft' | 'published';
const OPERATORS: Readonly<Record<Status, string>> = { draft: '$null', published: '$notNull' };

const operatorOf = ({ path, operator, values }: Condition): string | null =>
  path.length === 1 && path[0] === 'publishedAt' && values[0] === 'true' ? operator : null;

export const isStatus = (condition: Condition): boolean => Object.values(OPERATORS).includes(operatorOf(condition) ?? '');

export function statusOf({ status }: Filters): Status | null {
  const operator = status.map(operatorOf)[0];
  return operator ? (operator === OPERATORS.draft ? 'draft' : 'published') : null;
}

/** Return the filters with another status; null for all. */
export function withStatus(filters: Filters, status: Status | null): Filters {
  return { ...filters, status: status ? [{ path: ['publishedAt'], operator: OPERATORS[status], values: ['true'] }] : [] };
}
