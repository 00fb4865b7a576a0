/** Days of a calendar as ISO dates (`2026-03-01`), without time zones. */

const DAY = 86_400_000;
export const MONTHS_OF_A_YEAR = 12;
export const DAYS_OF_A_WEEK = 7;

const timeOf = (date: string): number => Date.parse(`${date}T00:00:00Z`);
const FIRST = timeOf('0001-01-01');
const LAST = timeOf('9999-12-31');
const isoOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
/** Return the nearest date with a four-digit year. */
const dateOf = (time: number): string => isoOf(Math.min(Math.max(time, FIRST), LAST));
/** Unlike `Date.UTC`, also correct for years before 100. */
const timeAt = (year: number, month: number, day: number): number => new Date(0).setUTCFullYear(year, month, day);

export const addDays = (date: string, count: number): string => dateOf(timeOf(date) + count * DAY);

/** Return the same day of another month, or the last day of a shorter month. */
export function addMonths(date: string, count: number): string {
  const [year, month, day] = date.split('-').map(Number) as [number, number, number];
  const last = new Date(timeAt(year, month + count, 0)).getUTCDate();
  return dateOf(timeAt(year, month - 1 + count, Math.min(day, last)));
}

/** Return the days since the first day of the week. `first` is 1 for Monday to 7 for Sunday. */
export function dayOfWeek(date: string, first: number): number {
  return (new Date(timeOf(date)).getUTCDay() - (first % DAYS_OF_A_WEEK) + DAYS_OF_A_WEEK) % DAYS_OF_A_WEEK;
}

/**
 * Return the weeks of a month, with the days of other months before and after it. Days before 0001 and after 9999 are
 * null.
 */
export function weeksOf(date: string, first: number): (string | null)[][] {
  const [year, month] = date.split('-').map(Number) as [number, number];
  const start = timeAt(year, month - 1, 1);
  const before = dayOfWeek(isoOf(start), first);
  const length = Math.ceil((before + new Date(timeAt(year, month, 0)).getUTCDate()) / DAYS_OF_A_WEEK);
  const dayAt = (index: number): string | null => {
    const time = start + (index - before) * DAY;
    return time < FIRST || time > LAST ? null : isoOf(time);
  };
  return Array.from({ length }, (_, week) => Array.from({ length: DAYS_OF_A_WEEK }, (_, day) => dayAt(week * DAYS_OF_A_WEEK + day)));
}

/** Return the first day of the week in a language: Monday (1) if the browser does not know it. */
export function firstDayOfWeek(language: string): number {
  const locale = new Intl.Locale(language) as Intl.Locale & { getWeekInfo?: () => { firstDay: number }; weekInfo?: { firstDay: number } };
  return (locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay ?? 1;
}

export function formatDay(date: string, language: string, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' }).format(timeOf(date));
}
