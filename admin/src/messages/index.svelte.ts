/**
 * What the pages say, in the language that was chosen. English is always there and is what is said where another
 * language lacks a message. `{name}` is replaced; `{count|one form|other form}` is chosen by the language's own rules.
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
/** Those that the project has files for: another language, or other words of one that is there. */
const OWN: readonly string[] = document.documentElement.dataset.languages?.split(' ').filter(Boolean) ?? [];
/** The languages there are, as they call themselves. */
export const LANGUAGES: Readonly<Record<string, string>> = Object.fromEntries(
  [...new Set([...Object.keys(BUILT_IN), ...OWN])].map((code) => [code, nameOf(code)]),
);
const RIGHT_TO_LEFT = new Set(['Adlm', 'Arab', 'Hebr', 'Nkoo', 'Rohg', 'Syrc', 'Thaa']);
const KEY = 'octavo.language';

export const language = $state<{ code: string; messages: Partial<Messages> }>({ code: 'en', messages: english });

/** Speak a language. One that is not there leaves the present one. */
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

/** What the project's file says; nothing while it cannot be read. */
async function ownMessages(code: string): Promise<Partial<Messages>> {
  const answer = await fetch(new URL(`languages/${code}.json`, document.baseURI)).catch(() => undefined);
  return answer?.ok ? ((await answer.json()) as Partial<Messages>) : {};
}

function nameOf(code: string): string {
  const name = new Intl.DisplayNames(code, { type: 'language' }).of(code) ?? code;
  return name.charAt(0).toLocaleUpperCase(code) + name.slice(1);
}

/** The language that was chosen before, or the browser's. */
export function firstLanguage(): string {
  const wanted = [localStorage.getItem(KEY), ...navigator.languages.flatMap((found) => [found, found.split('-')[0]])];
  return wanted.find((code): code is string => Boolean(code && code in LANGUAGES)) ?? 'en';
}

/** What is said. */
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

/** An instant, in the reader's own time zone. */
export function formatInstant(text: string): string {
  return new Intl.DateTimeFormat(language.code, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(text));
}

/** An instant as short as it is clear: without the present year. */
export function formatSoon(text: string): string {
  const at = new Date(text);
  const year = at.getFullYear() === new Date().getFullYear() ? undefined : 'numeric';
  return new Intl.DateTimeFormat(language.code, { year, month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' }).format(at);
}

/** The time of an instant, in the reader's own time zone. */
export function formatTime(text: string): string {
  return new Intl.DateTimeFormat(language.code, { timeStyle: 'short' }).format(new Date(text));
}

/** The day of an instant, in the reader's own time zone. */
export function formatDay(text: string): string {
  return new Intl.DateTimeFormat(language.code, { dateStyle: 'medium' }).format(new Date(text));
}
