/** ProseMirror plugins: v4's keyboard shortcuts, history, Markdown-like input, and cleaning of pasted HTML. */
import { baseKeymap, chainCommands, splitBlock } from 'prosemirror-commands';
import { dropCursor } from 'prosemirror-dropcursor';
import { gapCursor } from 'prosemirror-gapcursor';
import { history, redo, undo } from 'prosemirror-history';
import { InputRule, inputRules, textblockTypeInputRule } from 'prosemirror-inputrules';
import { keymap } from 'prosemirror-keymap';
import type { Command, Plugin } from 'prosemirror-state';
import { leaveCode, newline, toggle } from './commands';
import { indent, leaveAtStart, leaveEmpty, outdent, toggleList } from './lists';
import { schema } from './schema';

const { nodes } = schema;

/** Return the rule that turns `- ` or `1. ` at the start of a paragraph into a list. */
function listRule(start: RegExp, format: 'ordered' | 'unordered'): InputRule {
  return new InputRule(start, (state, _match, from, to) => {
    if (state.selection.$from.parent.type !== nodes.paragraph) return null;
    const tr = state.tr.delete(from, to);
    let made: typeof tr | null = null;
    toggleList(format)(state.apply(tr), (found) => (made = found));
    if (!made) return null;
    for (const step of (made as typeof tr).steps) tr.step(step);
    return tr;
  });
}

const rules = inputRules({
  rules: [
    textblockTypeInputRule(/^(#{1,6})\s$/, nodes.heading, (match) => ({ level: match[1]!.length })),
    textblockTypeInputRule(/^>\s$/, nodes.quote),
    textblockTypeInputRule(/^```$/, nodes.code_block),
    listRule(/^[-*]\s$/, 'unordered'),
    listRule(/^1[.)]\s$/, 'ordered'),
  ],
});

const inCode: Command = (state, dispatch) => (state.selection.$from.parent.type === nodes.code_block ? newline(state, dispatch) : false);

export function plugins(askForLink: () => void): Plugin[] {
  return [
    rules,
    keymap({
      'Mod-z': undo,
      'Mod-y': redo,
      'Mod-Shift-z': redo,
      'Mod-b': toggle('bold'),
      'Mod-i': toggle('italic'),
      'Mod-u': toggle('underline'),
      'Mod-Shift-s': toggle('strikethrough'),
      'Mod-e': toggle('code'),
      'Mod-k': () => (askForLink(), true),
      Tab: indent,
      'Shift-Tab': outdent,
      'Shift-Enter': newline,
      Enter: chainCommands(leaveEmpty, leaveCode, inCode, splitItem),
      Backspace: leaveAtStart,
    }),
    keymap(baseKeymap),
    history(),
    dropCursor({ color: false, class: 'drop-cursor' }),
    gapCursor(),
  ];
}

/** Split a list item, without copying its unknown keys to the new one. */
function splitItem(...[state, dispatch]: Parameters<Command>): boolean {
  return state.selection.$from.parent.type === nodes.list_item ? splitBlock(state, dispatch) : false;
}

/** Return pasted HTML with v4's list structure: items contain only text, and nested lists are beside them. */
export function cleaned(html: string): string {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  for (const gone of body.querySelectorAll('script, style, title, meta, link, iframe, object, template, noscript')) gone.remove();
  for (const list of [...body.querySelectorAll('li > ul, li > ol')].reverse()) list.parentElement!.after(list);
  for (const block of body.querySelectorAll('li > p, li > div')) block.replaceWith(...block.childNodes);
  return body.innerHTML;
}
