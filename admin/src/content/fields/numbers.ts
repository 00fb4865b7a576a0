/** Numbers as they are typed. Those of `biginteger` stay text, for they may be larger than a number holds exactly. */

/** The value of what is typed: null for nothing, undefined for what is no such number. */
export function writtenNumber(type: string, text: string): number | string | null | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  if (type === 'biginteger') return /^[+-]?\d+$/.test(trimmed) ? BigInt(trimmed.replace(/^\+/, '')).toString() : undefined;
  if (type === 'integer') return /^[+-]?\d+$/.test(trimmed) && Number.isSafeInteger(Number(trimmed)) ? Number(trimmed) : undefined;
  const plain = trimmed.replace(',', '.');
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) && Number.isFinite(Number(plain)) ? Number(plain) : undefined;
}
