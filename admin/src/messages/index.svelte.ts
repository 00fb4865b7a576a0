/**
 * The texts of the pages in the chosen language. English is built in, and used where another language lacks a message.
 * `{name}` is replaced; `{count|one form|other form}` is chosen by the plural rules of the language.
 */
import { english, type Messages } from './en';
import { saySaid, type SaidWords } from './said';

export type MessageKey = keyof Messages;
export type MessageValues = Readonly<Record<string, string | number>>;

type Loader = () => Promise<{ default: Partial<Messages>; said: SaidWords }>;
const BUILT_IN: Readonly<Record<string, Loader>> = {
  en: async () => ({ default: english, said: {} }),
  de: () => import('./de'),
};
/** Languages with files of the project: additional ones, or other texts for a built-in one. */
const OWN: readonly string[] = document.documentElement.dataset.languages?.split(' ').filter(Boolean) ?? [];
/** The available languages by their own names. */
export const LANGUAGES: Readonly<Record<string, string>> = Object.fromEntries(
  [...new Set([...Object.keys(BUILT_IN), ...OWN])].map((code) => [code, nameOf(code)]),
);
const RIGHT_TO_LEFT = new Set(['Adlm', 'Arab', 'Hebr', 'Nkoo', 'Rohg', 'Syrc', 'Thaa']);
const KEY = 'octavo.language';

export const language = $state<{ code: string; messages: Partial<Messages> }>({ code: 'en', messages: english });

/** Switch to a language. An unknown one changes nothing. */
export async function speak(code: string): Promise<void> {
  if (!(code in LANGUAGES)) return;
  const [built, ownWords] = await Promise.all([BUILT_IN[code]?.(), OWN.includes(code) ? ownMessages(code) : undefined]);
  language.messages = { ...built?.default, ...ownWords };
  saySaid({ ...built?.said, ...(ownWords as SaidWords | undefined) });
  language.code = code;
  localStorage.setItem(KEY, code);
  document.documentElement.lang = code;
  document.documentElement.dir = RIGHT_TO_LEFT.has(new Intl.Locale(code).maximize().script ?? '') ? 'rtl' : 'ltr';
}

/** Return the messages of the project's file, or none if it cannot be read. */
async function ownMessages(code: string): Promise<Partial<Messages>> {
  const answer = await fetch(new URL(`languages/${code}.json`, document.baseURI)).catch(() => undefined);
  return answer?.ok ? ((await answer.json()) as Partial<Messages>) : {};
}

function nameOf(code: string): string {
  const name = new Intl.DisplayNames(code, { type: 'language' }).of(code) ?? code;
  return name.charAt(0).toLocaleUpperCase(code) + name.slice(1);
}

/** Return the previously chosen language, or the browser's. */
export function firstLanguage(): string {
  const wanted = [localStorage.getItem(KEY), ...navigator.languages.flatMap((found) => [found, found.split('-')[0]])];
  return wanted.find((code): code is string => Boolean(code && code in LANGUAGES)) ?? 'en';
}

/** Return a message. */
export function t(key: MessageKey, values: MessageValues = {}): string {
  const text = language.messages[key] ?? english[key];
  return text.replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (_, name: string, one?: string, other?: string) => {
    const value = values[name] ?? '';
    if (one === undefined || other === undefined) return typeof value === 'number' ? formatNumber(value) : value;
    const form = new Intl.PluralRules(language.code).select(Number(value)) === 'one' ? one : other;
    return form.replace('#', formatNumber(Number(value)));
  });
}

export function formatNumber(value: number): string {
  return new Intl.NumberFormat(language.code).format(value);
}

/** Return date and time in the reader's time zone. */
export function formatInstant(text: string): string {
  return new Intl.DateTimeFormat(language.code, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(text));
}

/** Return date and time in a short form, without the current year. */
export function formatSoon(text: string): string {
  const at = new Date(text);
  const year = at.getFullYear() === new Date().getFullYear() ? undefined : 'numeric';
  return new Intl.DateTimeFormat(language.code, { year, month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' }).format(at);
}

/** Return the time in the reader's time zone. */
export function formatTime(text: string): string {
  return new Intl.DateTimeFormat(language.code, { timeStyle: 'short' }).format(new Date(text));
}

/** Return the date in the reader's time zone. */
export function formatDay(text: string): string {
  return new Intl.DateTimeFormat(language.code, { dateStyle: 'medium' }).format(new Date(text));
}
