/** The types of date and time inputs in HTML. */
export type MomentType = 'date' | 'time' | 'datetime-local';

export const isMomentType = (type: unknown): type is MomentType => type === 'date' || type === 'time' || type === 'datetime-local';

/** Minutes between two times of the list. */
const STEP = 30;
const two = (number: number): string => String(number).padStart(2, '0');

/** The times to choose from, such as `09:30`. */
export const TIMES: readonly string[] = Array.from({ length: (24 * 60) / STEP }, (_, index) => `${two(Math.floor((index * STEP) / 60))}:${two((index * STEP) % 60)}`);

/** Return the date and the time of an input's value. */
export function partsOf(type: MomentType, value: string): { date: string; time: string } {
  const [first = '', second = ''] = value.split('T');
  return type === 'time' ? { date: '', time: first } : { date: first, time: second };
}

/** Return the value of an input for a date and a time. */
export function valueOf(type: MomentType, date: string, time: string): string {
  return type === 'time' ? time : type === 'date' ? date : `${date}T${time || '00:00'}`;
}

/** Return the current date and time in the user's time zone. */
export function present(): { date: string; time: string } {
  const now = new Date();
  const date = `${String(now.getFullYear()).padStart(4, '0')}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
  return { date, time: `${two(now.getHours())}:${two(now.getMinutes())}` };
}

/** Return a time in the format of inputs: in the browser's language, not in that of the pages. */
export const formatTime = (time: string): string => new Intl.DateTimeFormat(undefined, { timeStyle: 'short' }).format(new Date(`2000-01-01T${time}`));
