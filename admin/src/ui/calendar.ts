/** Days of a calendar as ISO dates (`2026-03-01`), without time zones. */

const DAY = 86_400_000;
export const MONTHS_OF_A_YEAR = 12;
export const DAYS_OF_A_WEEK = 7;

const timeOf = (date: string): number => Date.parse(`${date}T00:00:00Z`);
const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

export const addDays = (date: string, count: number): string => dateOf(timeOf(date) + count * DAY);

/** The same day in another month, or the last one of a shorter month. */
export function addMonths(date: string, count: number): string {
  const [year, month, day] = date.split('-').map(Number) as [number, number, number];
  const last = new Date(Date.UTC(year, month + count, 0)).getUTCDate();
  return dateOf(Date.UTC(year, month - 1 + count, Math.min(day, last)));
}

/** Days since the first day of the week. `first` is 1 for Monday to 7 for Sunday. */
export function dayOfWeek(date: string, first: number): number {
  return (new Date(timeOf(date)).getUTCDay() - (first % DAYS_OF_A_WEEK) + DAYS_OF_A_WEEK) % DAYS_OF_A_WEEK;
}

/** The weeks that a month lies in, with the days of other months before and after it. */
export function weeksOf(date: string, first: number): string[][] {
  const start = `${date.slice(0, 8)}01`;
  const last = addDays(addMonths(start, 1), -1);
  const weeks: string[][] = [];
  for (let day = addDays(start, -dayOfWeek(start, first)); day <= last; day = addDays(day, DAYS_OF_A_WEEK)) {
    const monday = day;
    weeks.push(Array.from({ length: DAYS_OF_A_WEEK }, (_, index) => addDays(monday, index)));
  }
  return weeks;
}

/** The first day of the week in a language: 1 for Monday, also where the browser does not know. */
export function firstDayOfWeek(language: string): number {
  const locale = new Intl.Locale(language) as Intl.Locale & { getWeekInfo?: () => { firstDay: number }; weekInfo?: { firstDay: number } };
  return (locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay ?? 1;
}

export function formatDay(date: string, language: string, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' }).format(timeOf(date));
}
