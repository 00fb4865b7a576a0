/**
 * JSON as it is written. While it is changed its value in the form is the text itself: so nothing is parsed or rounded by
 * a key, and drafts keep what is not JSON yet.
 */
import { asWritten, isWritten, stringifyExactly, writtenText, type Written } from '../../../api/exact';

export function written(text: string): Written | null {
  return text.trim() === '' ? null : asWritten(text);
}

export function textOf(value: unknown): string {
  if (isWritten(value)) return writtenText(value);
  return value === null || value === undefined ? '' : stringifyExactly(value, 2);
}
