/** Periods relative to today. URLs contain their names; the dates are computed whenever a list is read. */
import type { Attribute } from '../../api/operations';
import type { Condition } from './filters';

export const WITHIN = '$within';
export const PERIODS = ['today', 'last7Days', 'last30Days', 'thisMonth'] as const;
export type Period = (typeof PERIODS)[number];

export const isPeriod = (value: string | undefined): value is Period => PERIODS.includes(value as Period);

/** Return a period's first day and the day after its last one, in the user's time zone. */
function daysOf(period: Period, now: Date): [from: Date, until: Date] {
  const day = (month: number, date: number): Date => new Date(now.getFullYear(), month, date);
  const [month, date] = [now.getMonth(), now.getDate()];
  if (period === 'thisMonth') return [day(month, 1), day(month + 1, 1)];
  const back = { today: 0, last7Days: 6, last30Days: 29 }[period];
  return [day(month, date - back), day(month, date + 1)];
}

const dayText = (date: Date): string => [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-');

/** Return the conditions for a period's dates; other conditions are returned unchanged. */
export function withDays(condition: Condition, type: Attribute['type'] | undefined, now = new Date()): Condition[] {
  const [period] = condition.values;
  if (condition.operator !== WITHIN || !isPeriod(period)) return [condition];
  const write = type === 'date' ? dayText : (date: Date): string => date.toISOString();
  const [from, until] = daysOf(period, now).map(write) as [string, string];
  return [
    { path: condition.path, operator: '$gte', values: [from] },
    { path: condition.path, operator: '$lt', values: [until] },
  ];
}
