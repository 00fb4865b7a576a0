/** A column of a table. */
export interface Column {
  key: string;
  label: string;
  /** Its label is for those alone who do not see the table. */
  hasUnseenLabel?: boolean;
  isSortable?: boolean;
  isNumber?: boolean;
  /** As narrow as it can be. */
  isNarrow?: boolean;
  /**
   * Pixels, on a wide screen. A table whose columns have widths is as wide as they need, and scrolls where there is less
   * room; texts that do not fit are cut.
   */
  width?: number;
  /** It takes the room that is left, and at least its width. */
  isFlexible?: boolean;
  isResizable?: boolean;
  /** It stays in sight while the others scroll, where there is room for them: the first two can be. Its cells have the class `pin-1`, `pin-2`. */
  pin?: 1 | 2;
}

export const NARROWEST = 64;
export const WIDEST = 960;
export const bounded = (width: number): number => Math.round(Math.min(Math.max(width, NARROWEST), WIDEST));

/** `name:ASC` turned around; another column begins upwards. */
export function turnedSort(sort: string | undefined, key: string): string {
  return sort?.toLowerCase() === `${key}:asc` ? `${key}:DESC` : `${key}:ASC`;
}
