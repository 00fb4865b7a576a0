/**
 * What the pages say, in the language that was chosen. English is always there and is what is said where another
 * language lacks a message. `{name}` is replaced; `{count|one form|other form}` is chosen by the language's own rules.
 */
import { english, type Messages } from './en';

export type MessageKey = keyof Messages;
export type MessageValues = Readonly<Record<string, string | number>>;

const LOADERS: Record<string, () => Promise<{ default: Partial<Messages> }>> = {
  de: () => import('./de'),
};
/** The languages there are, as they call themselves. */
export const LANGUAGES: Readonly<Record<string, string>> = { en: 'English', de: 'Deutsch' };
const RIGHT_TO_LEFT = new Set(['ar', 'fa', 'he', 'ur']);
const KEY = 'octavo.language';

export const language = $state<{ code: string; messages: Partial<Messages> }>({ code: 'en', messages: english });

/** Speak a language. One that is not there leaves the present one. */
export async function speak(code: string): Promise<void> {
  const load = LOADERS[code];
  if (code !== 'en' && !load) return;
  language.messages = load ? (await load()).default : english;
  language.code = code;
  localStorage.setItem(KEY, code);
  document.documentElement.lang = code;
  document.documentElement.dir = RIGHT_TO_LEFT.has(code.split('-')[0] ?? '') ? 'rtl' : 'ltr';
}

/** The language that was chosen before, or the browser's. */
export function firstLanguage(): string {
  const wanted = [localStorage.getItem(KEY), ...navigator.languages.map((found) => found.split('-')[0])];
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
