/**
 * Keep numbers that JavaScript would round: parsed JSON contains their text under a key that no JSON of the service
 * has, and they are sent as they were written. Browsers without access to the source text round them.
 */
const MARK = '\0json';

/** The source text of a number. */
export interface Written {
  readonly [MARK]: string;
}

export function asWritten(text: string): Written {
  return { [MARK]: text };
}

export function isWritten(value: unknown): value is Written {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Written>)[MARK] === 'string';
}

export function writtenText(value: Written): string {
  return value[MARK];
}

interface Exact {
  parse(text: string, revive: (key: string, value: unknown, context?: { source?: string }) => unknown): unknown;
  rawJSON?(source: string): unknown;
}
const exact = JSON as unknown as Exact;
export const canSendExactly = exact.rawJSON !== undefined;

/** Return whether JavaScript keeps a number exactly. */
export function isKept(source: string): boolean {
  const digits = (number: string): string => number.replace(/[eE].*$/, '').replace(/\D/g, '').replace(/^0+|0+$/g, '');
  return digits(source) === digits(String(Number(source))) && Number.isFinite(Number(source));
}

const LONG = /\d{16}/;

/** Parse JSON, keeping numbers. Throws SyntaxError. */
export function parseExactly(text: string): unknown {
  if (!canSendExactly || !LONG.test(text)) return JSON.parse(text);
  return exact.parse(text, (_, value, context) =>
    typeof value === 'number' && context?.source && !isKept(context.source) ? asWritten(context.source) : value,
  );
}

/** Return a value as JSON, with kept numbers as they were written. */
export function stringifyExactly(value: unknown, indent?: number): string {
  const raw = (_: string, found: unknown): unknown => {
    if (!isWritten(found)) return found;
    return exact.rawJSON && !/^\s*[{["]/.test(found[MARK]) ? exact.rawJSON(found[MARK].trim()) : parseExactly(found[MARK]);
  };
  return JSON.stringify(value, raw, indent);
}
