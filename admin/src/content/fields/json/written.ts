/**
 * JSON as it is written. While it is changed its value in the form is the text itself, under a name that no JSON of the
 * service has: so nothing is parsed or rounded by a key, and drafts keep what is not JSON yet.
 */
const MARK = '\0json';

interface Written {
  readonly [MARK]: string;
}

export function written(text: string): Written | null {
  return text.trim() === '' ? null : { [MARK]: text };
}

export function isWritten(value: unknown): value is Written {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Written>)[MARK] === 'string';
}

export function textOf(value: unknown): string {
  if (isWritten(value)) return value[MARK];
  return value === null || value === undefined ? '' : JSON.stringify(value, null, 2);
}

interface Exact {
  parse(text: string, revive: (key: string, value: unknown, context?: { source?: string }) => unknown): unknown;
  rawJSON?(source: string): unknown;
}
export const exact = JSON as unknown as Exact;

/** Whether a number is the same once JavaScript has read it. */
export function isKept(source: string): boolean {
  const digits = (number: string): string => number.replace(/[eE].*$/, '').replace(/\D/g, '').replace(/^0+|0+$/g, '');
  return digits(source) === digits(String(Number(source))) && Number.isFinite(Number(source));
}

/** The value of a JSON attribute as it is sent: every number as it was written. */
export function valueToSend(value: unknown): unknown {
  if (!isWritten(value)) return value;
  return exact.parse(value[MARK], (_, found, context) =>
    typeof found === 'number' && context?.source && exact.rawJSON && !isKept(context.source) ? exact.rawJSON(context.source) : found,
  );
}
