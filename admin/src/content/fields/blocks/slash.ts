/** The slash menu, which turns a paragraph into another kind of block. */
import { Plugin, type EditorState } from 'prosemirror-state';
import type { EditorView } from 'prosemirror-view';

/** The text after the slash, and its position in the window. */
export interface Slash {
  query: string;
  from: number;
  place: () => DOMRect;
}

interface Told {
  show: (slash: Slash | null) => void;
  /** Return whether the menu has handled the key. */
  press: (key: string) => boolean;
}

const KEYS = new Set(['ArrowUp', 'ArrowDown', 'Enter', 'Escape', 'Tab']);

export function slashPlugin({ show, press }: Told): Plugin {
  return new Plugin({
    props: { handleKeyDown: (_view, event) => KEYS.has(event.key) && press(event.key) },
    view: () => ({
      update: (view, before) => {
        if (before.doc !== view.state.doc || before.selection !== view.state.selection) show(slashAt(view));
      },
      destroy: () => show(null),
    }),
  });
}

function slashAt(view: EditorView): Slash | null {
  const query = queryAt(view.state);
  if (query === null || !view.hasFocus()) return null;
  const from = view.state.selection.from - query.length - 1;
  return { query, from, place: () => placeOf(view, from) };
}

function placeOf(view: EditorView, at: number): DOMRect {
  const { left, top, bottom } = view.coordsAtPos(at);
  return new DOMRect(left, top, 0, bottom - top);
}

function queryAt({ selection }: EditorState): string | null {
  const { $from, empty } = selection;
  if (!empty || !$from.parent.isTextblock || $from.parent.type.spec.code) return null;
  return /^\/([^\s/]{0,20})$/.exec($from.parent.textBetween(0, $from.parentOffset))?.[1] ?? null;
}
