/** Parsing of typed numbers. `biginteger` values stay text, because they may exceed the precision of numbers. */

/** Return the value of a text: null if it is empty, undefined if it is not a number of this type. */
export function writtenNumber(type: string, text: string): number | string | null | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  if (type === 'biginteger') return /^[+-]?\d+$/.test(trimmed) ? BigInt(trimmed.replace(/^\+/, '')).toString() : undefined;
  if (type === 'integer') return /^[+-]?\d+$/.test(trimmed) && Number.isSafeInteger(Number(trimmed)) ? Number(trimmed) : undefined;
  const plain = trimmed.replace(',', '.');
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) && Number.isFinite(Number(plain)) ? Number(plain) : undefined;
}
