/** Editor commands of the toolbar, the slash menu and keyboard shortcuts. */
import { setBlockType, toggleMark } from 'prosemirror-commands';
import type { EditorState } from 'prosemirror-state';
import { TextSelection, type Command } from 'prosemirror-state';
import { freeItems, itemAt, toggleList } from './lists';
import { FLAGS, schema, type Flag, type Json } from './schema';

const { nodes, marks } = schema;

/** Kinds of blocks, by their names in the toolbar. */
export const KINDS = ['paragraph', 'heading1', 'heading2', 'heading3', 'heading4', 'heading5', 'heading6', 'quote', 'code', 'unordered', 'ordered'] as const;
export type Kind = (typeof KINDS)[number];

export function turnInto(kind: Kind): Command {
  if (kind === 'unordered' || kind === 'ordered') {
    return (state, dispatch) => (itemAt(state.selection.$from)?.list.attrs.format === kind ? true : toggleList(kind)(state, dispatch));
  }
  const level = kind.startsWith('heading') ? Number(kind.slice(-1)) : null;
  const type = level !== null ? nodes.heading : kind === 'code' ? nodes.code_block : nodes[kind as 'quote'];
  return (state, dispatch) => {
    if (!itemAt(state.selection.$from)) return setBlockType(type, level === null ? null : { level })(state, dispatch);
    if (dispatch) {
      const tr = freeItems(state.tr);
      tr.setBlockType(tr.selection.from, tr.selection.to, type, level === null ? null : { level });
      dispatch(tr.scrollIntoView());
    }
    return true;
  };
}

export const toggle = (flag: Flag): Command => toggleMark(marks[flag]);

/** The state of the toolbar. */
export interface Shown {
  kind: Kind | '';
  flags: readonly Flag[];
  /** The URL of the link at the cursor. */
  url: string | null;
}

export function shownOf(state: EditorState): Shown {
  const { $from, from, to, empty } = state.selection;
  const flags = FLAGS.filter((flag) =>
    empty ? marks[flag].isInSet(state.storedMarks ?? $from.marks()) : state.doc.rangeHasMark(from, to, marks[flag]),
  );
  const link = marks.link.isInSet($from.marks()) ?? marks.link.isInSet($from.nodeAfter?.marks ?? []);
  return { kind: kindAt(state), flags, url: link ? String(link.attrs.url) : null };
}

function kindAt(state: EditorState): Kind | '' {
  const { $from } = state.selection;
  const item = itemAt($from);
  if (item) return item.list.attrs.format as Kind;
  const { type, attrs } = $from.parent;
  if (type === nodes.heading) return `heading${attrs.level}` as Kind;
  if (type === nodes.code_block) return 'code';
  return $from.parent.isTextblock ? (type.name as Kind) : '';
}

/** Return the range of the link at the cursor, or the selection. */
export function linkRange(state: EditorState): { from: number; to: number } {
  const { $from, from, to, empty } = state.selection;
  if (!empty) return { from, to };
  const index = $from.index();
  const link = marks.link.isInSet($from.parent.maybeChild(index)?.marks ?? []) ?? marks.link.isInSet($from.marks());
  if (!link) return { from, to };
  let [first, last] = [link.isInSet($from.parent.maybeChild(index)?.marks ?? []) ? index : index - 1, index];
  last = first;
  const has = (at: number): boolean => link.isInSet($from.parent.maybeChild(at)?.marks ?? []);
  while (first > 0 && has(first - 1)) first--;
  while (has(last + 1)) last++;
  const start = $from.start();
  let before = 0;
  for (let at = 0; at < first; at++) before += $from.parent.child(at).nodeSize;
  let size = 0;
  for (let at = first; at <= last; at++) size += $from.parent.child(at).nodeSize;
  return { from: start + before, to: start + before + size };
}

/** Link the selection, or change the URL of the link at the cursor. Without both, insert the URL as a link. */
export function setLink(url: string): Command {
  return (state, dispatch) => {
    const { from, to } = linkRange(state);
    const link = marks.link.create({ url });
    if (dispatch) {
      const tr = from === to ? state.tr.insert(from, schema.text(url, [link])) : state.tr.removeMark(from, to, marks.link).addMark(from, to, link);
      dispatch(tr.scrollIntoView());
    }
    return true;
  };
}

export const unlink: Command = (state, dispatch) => {
  const { from, to } = linkRange(state);
  dispatch?.(state.tr.removeMark(from, to, marks.link));
  return from < to;
};

const PARTS = ['name', 'alternativeText', 'url', 'caption', 'width', 'height', 'formats', 'hash', 'ext', 'mime', 'size', 'previewUrl', 'provider', 'provider_metadata', 'createdAt', 'updatedAt'];

/** Return the file's attributes that v4 stores in blocks. It requires `formats`, even for images without any. */
function imageOf(file: Json): Json {
  return { ...Object.fromEntries(PARTS.filter((name) => name in file).map((name) => [name, file[name]])), formats: file.formats ?? {} };
}

/** Insert images after the current block, or in its place if it is empty. */
export function insertImages(images: readonly Json[]): Command {
  return (state, dispatch) => {
    const { $from } = state.selection;
    const isEmpty = $from.depth === 1 && $from.parent.content.size === 0;
    const found = images.map((image) => nodes.image.create({ image: imageOf(image) }));
    const after = $from.depth ? $from.after(1) : state.selection.to;
    const [from, to] = isEmpty ? [$from.before(1), after] : [after, after];
    if (dispatch) {
      const isLast = to === state.doc.content.size;
      const tr = state.tr.replaceWith(from, to, isLast ? [...found, nodes.paragraph.create()] : found);
      const end = from + found.reduce((size, node) => size + node.nodeSize, 0);
      dispatch(tr.setSelection(TextSelection.near(tr.doc.resolve(Math.min(end + 1, tr.doc.content.size)))).scrollIntoView());
    }
    return true;
  };
}

/** Insert a line break, which v4 stores in the text. */
export const newline: Command = (state, dispatch) => {
  if (!state.selection.$from.parent.isTextblock) return false;
  dispatch?.(state.tr.insertText('\n').scrollIntoView());
  return true;
};

/** Leave a code block at its end if its last line is empty. */
export const leaveCode: Command = (state, dispatch) => {
  const { $from, empty } = state.selection;
  const { parent } = $from;
  if (!empty || parent.type !== nodes.code_block || $from.parentOffset !== parent.content.size || !parent.textContent.endsWith('\n')) return false;
  if (dispatch) {
    const tr = state.tr.delete($from.pos - 1, $from.pos);
    const after = tr.mapping.map($from.after());
    tr.insert(after, nodes.paragraph.create()).setSelection(TextSelection.create(tr.doc, after + 1));
    dispatch(tr.scrollIntoView());
  }
  return true;
};
