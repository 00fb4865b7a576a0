/**
 * What the service says, in the words of the language that is chosen: by its texts, in which `{name}` stands for anything.
 * English has its own words for the texts of the reference. Whatever is not known is said as the service said it.
 */
import { readablePath } from './names';
import english from './said/en.json';

export type SaidWords = Readonly<Record<string, string>>;
/** What the field at a path of the service (`blocks[0].title`) is called. */
export type NameOf = (path: string) => string;
type Patterns = readonly (readonly [RegExp, string])[];

/** Longer texts are not looked at: they are no messages for editors. */
const LONGEST = 400;
/** A value that is missing, as the validator of the reference says it. */
const MISSING = / must be a `\w+` type, but the final value was: `(?:null|NaN)`\.$/;
/** Where it quotes the whole value, which may be long. */
const QUOTED = /(?<= type, but the final value was: `).*$/s;
/** What stands for a field that has no name. */
const UNNAMED: ReadonlySet<string> = new Set(['this', 'this field']);
const known = new WeakMap<SaidWords, Patterns>();

/** Those of the language that is spoken. */
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
