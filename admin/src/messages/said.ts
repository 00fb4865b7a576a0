/**
 * What the service says, in the words of the language that is chosen: by its texts, in which `{name}` stands for anything.
 * English has its own words for what is only a code. Whatever is not known is said as the service said it.
 */
import english from './said/en.json';

export type SaidWords = Readonly<Record<string, string>>;
type Patterns = readonly (readonly [RegExp, string])[];

/** Longer texts are not looked at: they are no messages for editors. */
const LONGEST = 400;
const known = new WeakMap<SaidWords, Patterns>();

/** Those of the language that is spoken. */
let spoken: SaidWords = {};
export function saySaid(words: SaidWords): void {
  spoken = words;
}

export function inOurWords(text: string): string {
  return worded(text, spoken) ?? worded(text, english) ?? text;
}

function worded(text: string, words: SaidWords): string | undefined {
  if (Object.hasOwn(words, text)) return words[text];
  if (text.length > LONGEST) return undefined;
  for (const [pattern, said] of patternsOf(words)) {
    const groups = pattern.exec(text)?.groups;
    if (groups) return said.replace(/\{(\w+)\}/g, (_, name: string) => (Object.hasOwn(words, groups[name]!) ? words[groups[name]!]! : groups[name]!));
  }
  return undefined;
}

function patternsOf(words: SaidWords): Patterns {
  let found = known.get(words);
  if (!found) known.set(words, (found = Object.entries(words).filter(([text]) => text.includes('{')).map(([text, said]) => [patternOf(text), said])));
  return found;
}

function patternOf(text: string): RegExp {
  const parts = text.split(/\{(\w+)\}/).map((part, index) => (index % 2 ? `(?<${part}>.+?)` : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  return new RegExp(`^${parts.join('')}$`, 's');
}
