/** The status of entries as a condition: v4's `publishedAt`, empty or not. */
import type { Condition, Filters } from './filters';

export type Status = 'draft' | 'published';
const OPERATORS: Readonly<Record<Status, string>> = { draft: '$null', published: '$notNull' };

const operatorOf = ({ path, operator, values }: Condition): string | null =>
  path.length === 1 && path[0] === 'publishedAt' && values[0] === 'true' ? operator : null;

export const isStatus = (condition: Condition): boolean => Object.values(OPERATORS).includes(operatorOf(condition) ?? '');

export function statusOf({ conditions }: Filters): Status | null {
  const operator = conditions.map(operatorOf).find((found) => found && Object.values(OPERATORS).includes(found));
  return operator ? (operator === OPERATORS.draft ? 'draft' : 'published') : null;
}

/** The same filters with another status; null for all. */
export function withStatus({ conditions, others }: Filters, status: Status | null): Filters {
  const rest = conditions.filter((condition) => !isStatus(condition));
  const added = status && { path: ['publishedAt'], operator: OPERATORS[status], values: ['true'] };
  return { conditions: added ? [...rest, added] : rest, others };
}
