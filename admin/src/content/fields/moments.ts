/** Conversion of dates and times between the server (ISO 8601, times as `HH:mm:ss.SSS`) and the browser's inputs. */

const two = (number: number): string => String(number).padStart(2, '0');

/** Return an instant for a `datetime-local` input, in the user's time zone; empty if it is invalid. */
export function localText(iso: string | null | undefined): string {
  const moment = new Date(iso ?? Number.NaN);
  if (Number.isNaN(moment.getTime())) return '';
  const date = `${String(moment.getFullYear()).padStart(4, '0')}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
  const seconds = moment.getSeconds() * 1000 + moment.getMilliseconds();
  return `${date}T${two(moment.getHours())}:${two(moment.getMinutes())}${seconds ? `:${two(moment.getSeconds())}.${thousandths(moment)}` : ''}`;
}

const thousandths = (moment: Date): string => String(moment.getMilliseconds()).padStart(3, '0');

/** Return the instant of a `datetime-local` input; null if it is invalid. */
export function instantOf(text: string): string | null {
  const moment = new Date(text || Number.NaN);
  return Number.isNaN(moment.getTime()) ? null : moment.toISOString();
}

/** Return a time in v4's format, `09:30:00.000`; null if it is invalid. */
export function fullTime(text: string): string | null {
  const found = /^(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?$/.exec(text);
  return found && `${found[1]}:${found[2]}:${found[3] ?? '00'}.${(found[4] ?? '').padEnd(3, '0')}`;
}

/** Return a time without zero seconds and milliseconds. */
export function shortTime(text: string | null | undefined): string {
  return (text ?? '').replace(/\.000$/, '').replace(/^(\d\d:\d\d):00$/, '$1');
}

/** Return the name of the user's time zone. */
export function timeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
