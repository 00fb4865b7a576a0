/** Validation and formatting of JSON. */
import { applyEdits, format, parse, printParseErrorCode, type ParseError } from 'jsonc-parser';
import { t, type MessageKey } from '../../../messages/index.svelte';
import { canSendExactly, isKept } from '../../../api/exact';

const REASONS: Readonly<Record<string, MessageKey>> = {
  CommaExpected: 'field.json.comma',
  ColonExpected: 'field.json.colon',
  PropertyNameExpected: 'field.json.name',
  CloseBraceExpected: 'field.json.brace',
  CloseBracketExpected: 'field.json.bracket',
  EndOfFileExpected: 'field.json.end',
  InvalidCommentToken: 'field.json.comment',
  InvalidNumberFormat: 'field.json.number',
  UnexpectedEndOfString: 'field.json.string',
  UnexpectedEndOfNumber: 'field.json.number',
  InvalidCharacter: 'field.json.string',
  InvalidEscapeCharacter: 'field.json.escape',
  InvalidUnicode: 'field.json.escape',
};

/** Return the first error with its position; undefined if the text is valid. */
export function wrongIn(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments: true, allowTrailingComma: false });
  const [first] = errors;
  if (!first) return bigIn(text);
  return t('field.json.wrong', { ...placeOf(text, first.offset), reason: t(REASONS[printParseErrorCode(first.error)] ?? 'field.json.value') });
}

function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** Return JSON with an indentation of two spaces. Numbers are unchanged. */
export function formatted(text: string): string {
  return applyEdits(text, format(text, undefined, { tabSize: 2, insertSpaces: true, eol: '\n' }));
}

/** Return an error for a number that this browser can only send rounded. */
function bigIn(text: string): string | undefined {
  if (canSendExactly) return undefined;
  for (const found of text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g)) {
    if (!found[0].startsWith('"') && !isKept(found[0])) return t('field.json.big', { number: found[0] });
  }
  return undefined;
}
