/** CodeMirror's setup for all fields: styles from design tokens, and shortcuts that leave Tab to the page. */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { drawSelection, EditorView, keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const looks = EditorView.theme({
  '&': { backgroundColor: 'var(--surface)', color: 'var(--text)', fontSize: 'var(--size-m)', height: '100%' },
  '&.cm-focused': { outline: 'none' },
  '.cm-content': { fontFamily: 'var(--mono)', lineHeight: 'var(--leading)', padding: 'var(--s2) 0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 var(--s3)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-scroller': { overflow: 'auto', fontFamily: 'inherit' },
  '.cm-placeholder': { color: 'var(--text-muted)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'var(--accent-soft)',
  },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)' },
});

const colours = HighlightStyle.define([
  { tag: tags.heading, fontWeight: 'var(--weight-title)' },
  { tag: tags.strong, fontWeight: 'var(--weight-title)' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: [tags.link, tags.url, tags.propertyName], color: 'var(--accent)' },
  { tag: [tags.string, tags.monospace], color: 'var(--good)' },
  { tag: tags.monospace, fontFamily: 'var(--mono)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: [tags.processingInstruction, tags.quote, tags.meta], color: 'var(--text-muted)' },
  { tag: tags.invalid, color: 'var(--bad)' },
]);

export function setup(language: Extension): Extension {
  return [
    history(),
    drawSelection(),
    bracketMatching(),
    EditorView.lineWrapping,
    syntaxHighlighting(colours),
    keymap.of([...defaultKeymap, ...historyKeymap]),
    language,
    looks,
  ];
}
