/** Rows of a form with twelve columns. A field that does not fit moves to its own row. */
import type { PlacedField } from '../../api/operations';

export const COLUMNS = 12;
export type Rows = readonly (readonly PlacedField[])[];

const widthOf = (row: readonly PlacedField[]): number => row.reduce((sum, field) => sum + field.size, 0);

/** Return the rows without empty ones. Rows that are too wide are split. */
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

/** Add a field to the last row, or to a new one if there is no room. */
export function added(rows: Rows, field: PlacedField): PlacedField[][] {
  const last = rows.at(-1) ?? [];
  return wrapped([...rows.slice(0, -1), [...last, field]]);
}

export type Step = 'before' | 'after' | 'up' | 'down';

/**
 * Move a field by one step. `before` and `after` swap it with its neighbor in the row. `up` and `down` first move it
 * out of its row, then into the next row, or past that row if there is no room.
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

/** Return a field's row and position, counted from one. */
export function placeOf(rows: Rows, name: string): { row: number; position: number } {
  const row = rows.findIndex((found) => found.some((field) => field.name === name));
  return { row: row + 1, position: (rows[row]?.findIndex((field) => field.name === name) ?? -1) + 1 };
}

/** Return the rows of some fields. The remains of two adjacent rows are joined if they fit. */
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
