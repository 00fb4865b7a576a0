/** A column of a table. */
export interface Column {
  key: string;
  label: string;
  /** The label is visually hidden. */
  hasUnseenLabel?: boolean;
  isSortable?: boolean;
  isNumber?: boolean;
  /** As narrow as possible. */
  isNarrow?: boolean;
  /**
   * Width in pixels on a wide screen. A table with widths scrolls if there is less space, and truncates longer texts.
   */
  width?: number;
  /** Takes the remaining space, and at least its width. */
  isFlexible?: boolean;
  isResizable?: boolean;
  /**
   * Stays visible while the others scroll, if they have enough space. Possible for the first two columns. Its cells
   * have the class `pin-1` or `pin-2`.
   */
  pin?: 1 | 2;
}

export const NARROWEST = 64;
export const WIDEST = 960;
export const bounded = (width: number): number => Math.round(Math.min(Math.max(width, NARROWEST), WIDEST));

/** Return the sort after a click on a column: `name:ASC` is reversed, another column begins ascending. */
export function turnedSort(sort: string | undefined, key: string): string {
  return sort?.toLowerCase() === `${key}:asc` ? `${key}:DESC` : `${key}:ASC`;
}
