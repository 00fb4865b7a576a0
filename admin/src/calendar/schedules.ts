/** The schedules of a period, by day, and how they are moved. */
import { createQuery, keepPreviousData, type CreateQueryResult } from '@tanstack/svelte-query';
import { call } from '../api/client';
import type { CalendarAnswer, CalendarEntry, Definitions } from '../api/operations';
import { contentAddress, entryAddress } from '../app/addresses';
import { queries } from '../app/queries';
import { instantOf, localText } from '../content/fields/moments';
import { formatInstant, t } from '../messages/index.svelte';
import { addDays, addMonths, dayOfWeek, DAYS_OF_A_WEEK, weeksOf } from '../ui/calendar';
import { errorPlaces } from '../ui/failed';
import { toast } from '../ui/toasts.svelte';

export type View = 'month' | 'week';
const KEY = 'calendar';

/** The days that a view of this date shows. `first` is the first day of the week, 1 for Monday. */
export function daysOf(view: View, date: string, first: number): string[] {
  if (view === 'month') return weeksOf(date, first).flatMap((week) => week.filter((day) => day !== null));
  const start = addDays(date, -dayOfWeek(date, first));
  return Array.from({ length: DAYS_OF_A_WEEK }, (_, index) => addDays(start, index));
}

export const moved = (view: View, date: string, count: number): string => (view === 'month' ? addMonths(date, count) : addDays(date, count * DAYS_OF_A_WEEK));

export function calendarQuery(days: () => readonly string[]): CreateQueryResult<CalendarAnswer> {
  return createQuery(() => {
    const [first = '', last = first] = [days()[0], days().at(-1)];
    const query = { from: instantOf(`${first}T00:00`), to: instantOf(`${addDays(last, 1)}T00:00`) };
    return {
      queryKey: [KEY, query],
      queryFn: ({ signal }) => call('GET /octavo/calendar', { query, signal }),
      placeholderData: keepPreviousData,
      staleTime: 0,
    };
  });
}

/** The day of a schedule in the user's time zone, as `2026-01-31`. */
export const dayOf = ({ due }: CalendarEntry): string => localText(due).slice(0, 10);
export const keyOf = ({ uid, id, plan }: CalendarEntry): string => `${uid} ${id} ${plan}`;

export function addressOf({ uid, id, locale }: CalendarEntry, definitions: Definitions | undefined): string {
  const isSingle = definitions?.contentTypes.find((type) => type.uid === uid)?.kind === 'singleType';
  const search = locale === null ? '' : `?plugins[i18n][locale]=${encodeURIComponent(locale)}`;
  return (isSingle ? contentAddress(uid, 'singleType') : entryAddress(uid, id)) + search;
}

/** The same time on another day. */
export function onDay({ due }: CalendarEntry, day: string): string | null {
  return instantOf(`${day}T${localText(due).slice(11)}`);
}

/** Schedule an entry at another time, and offer to undo it. Returns whether it succeeded. */
export async function move(entry: CalendarEntry, due: string, canUndo = true): Promise<boolean> {
  const { uid, id, plan } = entry;
  queries.setQueriesData<CalendarAnswer>({ queryKey: [KEY] }, (known) => known && { ...known, data: known.data.map((one) => (keyOf(one) === keyOf(entry) ? { ...one, due } : one)) });
  try {
    await call('PUT /octavo/schedules/:uid/:id', { path: { uid, id }, body: plan === 'unpublish' ? { unpublishAt: due } : { publishAt: due } });
    const undo = { label: t('list.undo'), run: () => void move({ ...entry, due }, entry.due, false) };
    const isPast = Date.parse(entry.due) <= Date.now();
    toast('done', t(plan === 'unpublish' ? 'calendar.moved.unpublish' : 'calendar.moved.publish', { name: entry.name, when: formatInstant(due) }), canUndo && !isPast ? undo : undefined);
    return true;
  } catch (error) {
    toast('failed', errorPlaces(error));
    return false;
  } finally {
    for (const key of [[KEY], ['plans', uid], ['recent'], ['schedule', uid, id]]) void queries.invalidateQueries({ queryKey: key });
  }
}
