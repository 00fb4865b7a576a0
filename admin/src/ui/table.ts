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
}

/** `name:ASC` turned around; another column begins upwards. */
export function turnedSort(sort: string | undefined, key: string): string {
  return sort?.toLowerCase() === `${key}:asc` ? `${key}:DESC` : `${key}:ASC`;
}
