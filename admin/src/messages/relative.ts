/** Times relative to now, such as "3 minutes ago". They update while the page is open. */
import { createSubscriber } from 'svelte/reactivity';
import { formatDay, formatInstant, language } from './index.svelte';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const LONGEST = 7 * DAY;

const everyMinute = createSubscriber((update) => {
  const timer = setInterval(update, MINUTE * 1000);
  return () => clearInterval(timer);
});

/** Return a past time relative to now for a week, and the date after that. Times in the future are returned in full. */
export function formatRelative(text: string): string {
  everyMinute();
  const seconds = Math.round((Date.now() - Date.parse(text)) / 1000);
  if (seconds < -MINUTE) return formatInstant(text);
  if (seconds >= LONGEST) return formatDay(text);
  const format = new Intl.RelativeTimeFormat(language.code, { numeric: seconds < MINUTE ? 'auto' : 'always' });
  if (seconds < MINUTE) return format.format(0, 'second');
  if (seconds < HOUR) return format.format(-Math.floor(seconds / MINUTE), 'minute');
  if (seconds < DAY) return format.format(-Math.floor(seconds / HOUR), 'hour');
  return format.format(-Math.floor(seconds / DAY), 'day');
}
