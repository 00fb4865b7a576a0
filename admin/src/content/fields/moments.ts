/** Dates and times between the service (ISO 8601, times as `HH:mm:ss.SSS`) and the browser's own inputs. */

const two = (number: number): string => String(number).padStart(2, '0');

/** An instant as `datetime-local` takes it, in the reader's time zone; empty for what is none. */
export function localText(iso: string | null | undefined): string {
  const moment = new Date(iso ?? Number.NaN);
  if (Number.isNaN(moment.getTime())) return '';
  const date = `${String(moment.getFullYear()).padStart(4, '0')}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
  const seconds = moment.getSeconds() * 1000 + moment.getMilliseconds();
  return `${date}T${two(moment.getHours())}:${two(moment.getMinutes())}${seconds ? `:${two(moment.getSeconds())}.${thousandths(moment)}` : ''}`;
}

const thousandths = (moment: Date): string => String(moment.getMilliseconds()).padStart(3, '0');

/** The instant that a text of `datetime-local` means; null for none. */
export function instantOf(text: string): string | null {
  const moment = new Date(text || Number.NaN);
  return Number.isNaN(moment.getTime()) ? null : moment.toISOString();
}

/** A time as v4 writes it: `09:30:00.000`. */
export function fullTime(text: string): string | null {
  const found = /^(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?$/.exec(text);
  return found && `${found[1]}:${found[2]}:${found[3] ?? '00'}.${(found[4] ?? '').padEnd(3, '0')}`;
}

/** The same as short as it can be said. */
export function shortTime(text: string | null | undefined): string {
  return (text ?? '').replace(/\.000$/, '').replace(/^(\d\d:\d\d):00$/, '$1');
}

/** What the reader's time zone is called. */
export function timeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
