/**
 * Pasting and dropping into Markdown: rich text is converted, images are uploaded, and a URL turns the selection into a
 * link.
 */
import { syntaxTree } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { link, put } from './commands';
import { markdownBlocks } from './html';

const URL_ALONE = /^https?:\/\/\S+$/i;
const BLOCK = /^(#{1,6} |> |- |\d+\. |\||```|---$)/;

/**
 * Return the extension. `upload` returns the function that receives images, or undefined to leave them to the browser.
 */
export function pasteAndDrop(upload: () => ((images: File[]) => void) | undefined): Extension {
  const take = (event: Event, images: File[]): boolean => {
    const send = upload();
    if (!send || !images.length) return false;
    event.preventDefault();
    send(images);
    return true;
  };
  return EditorView.domEventHandlers({
    paste(event, view) {
      const data = event.clipboardData;
      if (!data || view.state.readOnly) return false;
      const text = data.getData('text/plain').trim();
      // Upload images only without text, because office programs add an image of copied text.
      if (!text && take(event, imagesOf(data.files))) return true;
      if (isInCode(view) || !insertPasted(view, text, data.getData('text/html'))) return false;
      event.preventDefault();
      return true;
    },
    drop(event, view) {
      if (view.state.readOnly || !take(event, imagesOf(event.dataTransfer?.files))) return false;
      const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
      if (at !== null) view.dispatch({ selection: { anchor: at } });
      return true;
    },
  });
}

function insertPasted(view: EditorView, text: string, html: string): boolean {
  if (URL_ALONE.test(text) && !view.state.selection.main.empty) {
    link(view, text);
    return true;
  }
  const blocks = markdownBlocks(html);
  if (!blocks) return false;
  const isInline = blocks.length === 1 && !BLOCK.test(blocks[0]!);
  put(view, isInline ? blocks[0]! : apart(view, blocks.join('\n\n')));
  return true;
}

/** Return blocks with empty lines between them and the surrounding text. */
function apart({ state }: EditorView, text: string): string {
  const { from, to } = state.selection.main;
  const before = state.sliceDoc(state.doc.lineAt(from).from, from).trim() ? '\n\n' : '';
  const after = state.sliceDoc(to, state.doc.lineAt(to).to).trim() ? '\n\n' : '';
  return before + text + after;
}

function isInCode({ state }: EditorView): boolean {
  for (let node = syntaxTree(state).resolveInner(state.selection.main.from, -1); node.parent; node = node.parent) {
    if (/Code/.test(node.name)) return true;
  }
  return false;
}

const imagesOf = (files: FileList | undefined): File[] => [...(files ?? [])].filter(({ type }) => type.startsWith('image/'));
