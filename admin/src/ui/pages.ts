const AROUND = 1;
/** Up to this number of pages, all are shown. */
const ALL = 7;

/** Return the page numbers to show: the first, the last and those around the current one. Null is a gap. */
export function pageNumbers(page: number, count: number): (number | null)[] {
  if (count <= ALL) return Array.from({ length: count }, (_, at) => at + 1);
  const middle = Math.min(Math.max(page, 2 + AROUND), count - 1 - AROUND);
  const shown = [middle - AROUND, middle, middle + AROUND];
  const before = shown[0]! > 2 ? [1, shown[0] === 3 ? 2 : null] : [1];
  const after = shown.at(-1)! < count - 1 ? [shown.at(-1) === count - 2 ? count - 1 : null, count] : [count];
  return [...before, ...shown, ...after];
}
