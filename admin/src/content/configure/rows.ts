/** Rows of a form: fields beside each other, twelve columns in all. What does not fit goes into a row of its own. */
import type { PlacedField } from '../../api/operations';

export const COLUMNS = 12;
export type Rows = readonly (readonly PlacedField[])[];

const widthOf = (row: readonly PlacedField[]): number => row.reduce((sum, field) => sum + field.size, 0);

/** Rows that hold what they can: none is empty, and none is too wide. */
export function wrapped(rows: Rows): PlacedField[][] {
  return rows.flatMap((row) => {
    const found: PlacedField[][] = [];
    for (const field of row) {
      const last = found.at(-1);
      if (last && widthOf(last) + field.size <= COLUMNS) last.push(field);
      else found.push([field]);
    }
    return found;
  });
}

export const without = (rows: Rows, name: string): PlacedField[][] =>
  wrapped(rows.map((row) => row.filter((field) => field.name !== name)));

export const resized = (rows: Rows, name: string, size: number): PlacedField[][] =>
  wrapped(rows.map((row) => row.map((field) => (field.name === name ? { ...field, size } : field))));

/** At the end: beside what is there, if there is room. */
export function added(rows: Rows, field: PlacedField): PlacedField[][] {
  const last = rows.at(-1) ?? [];
  return wrapped([...rows.slice(0, -1), [...last, field]]);
}

export type Step = 'before' | 'after' | 'up' | 'down';

/**
 * A step of a field: among those beside it; or upwards and downwards, out of its row into one of its own, and from there
 * into the next row, or past it where there is no room.
 */
export function stepped(rows: Rows, name: string, step: Step): Rows {
  const at = rows.findIndex((row) => row.some((field) => field.name === name));
  const row = rows[at];
  const index = row?.findIndex((field) => field.name === name) ?? -1;
  const field = row?.[index];
  if (!row || !field) return rows;
  if (step === 'before' || step === 'after') return rows.with(at, swapped(row, index, index + (step === 'after' ? 1 : -1)));
  const isUp = step === 'up';
  if (row.length > 1) {
    const rest = row.filter((one) => one !== field);
    return rows.toSpliced(at, 1, ...(isUp ? [[field], rest] : [rest, [field]]));
  }
  const beside = at + (isUp ? -1 : 1);
  const other = rows[beside];
  if (!other) return rows;
  if (widthOf(other) + field.size > COLUMNS) return swapped(rows, at, beside);
  return rows.with(beside, isUp ? [...other, field] : [field, ...other]).toSpliced(at, 1);
}

function swapped<Item>(items: readonly Item[], one: number, other: number): readonly Item[] {
  const [first, second] = [items[one], items[other]];
  return first === undefined || second === undefined ? items : items.with(one, second).with(other, first);
}

/** Where a field stands, counted from one. */
export function placeOf(rows: Rows, name: string): { row: number; position: number } {
  const row = rows.findIndex((found) => found.some((field) => field.name === name));
  return { row: row + 1, position: (rows[row]?.findIndex((field) => field.name === name) ?? -1) + 1 };
}

/** Rows of some fields: what is left of two rows becomes one where it fits. */
export function joined(rows: Rows, isWanted: (field: PlacedField) => boolean): PlacedField[][] {
  const found: PlacedField[][] = [];
  let isOpen = false;
  for (const row of rows) {
    const rest = row.filter(isWanted);
    if (!rest.length) continue;
    const isPart = rest.length < row.length;
    const last = found.at(-1);
    if (isPart && isOpen && last && widthOf(last) + widthOf(rest) <= COLUMNS) last.push(...rest);
    else found.push(rest);
    isOpen = isPart;
  }
  return found;
}
