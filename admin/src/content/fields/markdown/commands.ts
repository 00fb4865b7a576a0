/** Editor commands of the toolbar and keyboard shortcuts. */
import { EditorSelection, type ChangeSpec } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';

/** Put marks around the selection, or remove them. */
export function wrap(view: EditorView, mark: string): boolean {
  const { state } = view;
  view.dispatch(
    state.changeByRange(({ from, to }) => {
      const before = state.sliceDoc(from - mark.length, from);
      const after = state.sliceDoc(to, to + mark.length);
      if (before === mark && after === mark) {
        const changes: ChangeSpec[] = [
          { from: from - mark.length, to: from },
          { from: to, to: to + mark.length },
        ];
        return { changes, range: EditorSelection.range(from - mark.length, to - mark.length) };
      }
      return {
        changes: [
          { from, insert: mark },
          { from: to, insert: mark },
        ],
        range: EditorSelection.range(from + mark.length, to + mark.length),
      };
    }),
    { scrollIntoView: true, userEvent: 'input' },
  );
  view.focus();
  return true;
}

/** The prefix of the selected lines; `ordered` numbers them. */
export type Start = '# ' | '## ' | '### ' | '#### ' | '##### ' | '###### ' | '' | '> ' | '- ' | 'ordered';
const STARTS = /^(?:#{1,6} |> |[-*+] |\d+[.)] )/;

export function startLines(view: EditorView, start: Start): boolean {
  const { state } = view;
  const { from, to } = state.selection.main;
  const [first, last] = [state.doc.lineAt(from).number, state.doc.lineAt(to).number];
  const lines = Array.from({ length: last - first + 1 }, (_, index) => state.doc.line(first + index));
  const startOf = (index: number): string => (start === 'ordered' ? `${index + 1}. ` : start);
  const isThere = start !== '' && lines.every((line, index) => line.text.startsWith(startOf(index)));
  const changes = lines.map((line, index) => {
    const present = STARTS.exec(line.text)?.[0].length ?? 0;
    return { from: line.from, to: line.from + present, insert: isThere ? '' : startOf(index) };
  });
  view.dispatch({ changes, scrollIntoView: true, userEvent: 'input' });
  view.focus();
  return true;
}

/** Replace the selection by a text, and put the cursor after it. */
export function put(view: EditorView, text: string): void {
  view.dispatch({ ...view.state.replaceSelection(text), scrollIntoView: true, userEvent: 'input' });
  view.focus();
}

export function codeBlock(view: EditorView): boolean {
  const { from, to } = view.state.selection.main;
  const inside = view.state.sliceDoc(from, to);
  const lead = from === view.state.doc.lineAt(from).from ? '' : '\n';
  view.dispatch({
    changes: { from, to, insert: `${lead}\`\`\`\n${inside}\n\`\`\`\n` },
    selection: { anchor: from + lead.length + 4 + inside.length },
    userEvent: 'input',
  });
  view.focus();
  return true;
}

/** Link the selection, or insert the URL as a link. */
export function link(view: EditorView, url: string): void {
  const { from, to } = view.state.selection.main;
  put(view, linkTo(url, view.state.sliceDoc(from, to) || url));
}

export const linkTo = (url: string, text: string): string => `[${text}](${addressOf(url)})`;

export function image(url: string, words: string): string {
  return `![${words.replace(/[[\]\\]/g, '\\$&')}](${addressOf(url)})`;
}

const addressOf = (url: string): string => (/[\s()<>]/.test(url) ? `<${url.replace(/[<>\n]/g, encodeURIComponent)}>` : url);

export function countWords(text: string): number {
  return text.match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu)?.length ?? 0;
}
