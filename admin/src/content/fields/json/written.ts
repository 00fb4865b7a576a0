/**
 * JSON as text. While it is edited, its value in the form is the text itself, so that typing neither parses nor rounds
 * anything, and drafts can contain invalid JSON.
 */
import { asWritten, isWritten, stringifyExactly, writtenText, type Written } from '../../../api/exact';

export function written(text: string): Written | null {
  return text.trim() === '' ? null : asWritten(text);
}

export function textOf(value: unknown): string {
  if (isWritten(value)) return writtenText(value);
  return value === null || value === undefined ? '' : stringifyExactly(value, 2);
}
