/**
 * Translate messages of the service by their English texts, in which `{name}` matches anything. In English, some texts
 * of v4 are replaced too. Unknown messages are shown as they are.
 */
import { readablePath } from './names';
import english from './said/en.json';

export type SaidWords = Readonly<Record<string, string>>;
/** Returns the name of the field at a path of the service, such as `blocks[0].title`. */
export type NameOf = (path: string) => string;
type Patterns = readonly (readonly [RegExp, string])[];

/** Longer texts are not matched: they are not messages for editors. */
const LONGEST = 400;
/** A missing value, as v4's validator reports it. */
const MISSING = / must be a `\w+` type, but the final value was: `(?:null|NaN)`\.$/;
/** The quoted value, which can be long. */
const QUOTED = /(?<= type, but the final value was: `).*$/s;
/** Placeholders for a field without a name. */
const UNNAMED: ReadonlySet<string> = new Set(['this', 'this field']);
const known = new WeakMap<SaidWords, Patterns>();

/** The messages of the current language. */
let spoken: SaidWords = {};
export function saySaid(words: SaidWords): void {
  spoken = words;
}

export function inOurWords(text: string, nameOf: NameOf = readablePath): string {
  const plain = text.replace(MISSING, ' must be defined.').replace(QUOTED, '…`.');
  return worded(plain, spoken, nameOf) ?? worded(plain, english, nameOf) ?? text;
}

function worded(text: string, words: SaidWords, nameOf: NameOf): string | undefined {
  if (Object.hasOwn(words, text)) return words[text];
  if (text.length > LONGEST) return undefined;
  const own = (word: string): string => (Object.hasOwn(words, word) ? words[word]! : word);
  for (const [pattern, said] of patternsOf(words)) {
    const groups = pattern.exec(text)?.groups;
    if (!groups) continue;
    return said.replace(/\{(\w+)\}/g, (_, name: string) => {
      const found = groups[name] ?? '';
      if (name === 'path' && !UNNAMED.has(found)) return nameOf(found);
      return name === 'path' || name === 'kind' ? own(found) : found;
    });
  }
  return undefined;
}

function patternsOf(words: SaidWords): Patterns {
  let found = known.get(words);
  if (!found) known.set(words, (found = Object.entries(words).filter(([text]) => text.includes('{')).map(([text, said]) => [patternOf(text), said])));
  return found;
}

function patternOf(text: string): RegExp {
  const parts = text.split(/\{(\w+)\}/).map((part, index) => (index % 2 ? `(?<${part}>${part === 'path' ? '\\S+|this field' : '.+?'})` : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  return new RegExp(`^${parts.join('')}$`, 's');
}
