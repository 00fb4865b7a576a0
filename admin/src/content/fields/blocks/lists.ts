/** Lists with v4's structure: a list contains text items and nested lists, each beside the item that it belongs to. */
import { Fragment, type Node, type ResolvedPos } from 'prosemirror-model';
import { TextSelection, type Command, type Transaction } from 'prosemirror-state';
import { schema } from './schema';

const { nodes } = schema;

interface Item {
  node: Node;
  list: Node;
  depth: number;
  $at: ResolvedPos;
}

/** Return the list item at a position; null outside of lists. */
export function itemAt($at: ResolvedPos): Item | null {
  return $at.parent.type === nodes.list_item ? { node: $at.parent, list: $at.node(-1), depth: $at.depth, $at } : null;
}

/** Return a part of a list, without nested lists that are empty; null if nothing remains. */
function part(list: Node, from: number, to: number): Node | null {
  return pruned(list.cut(from, to));
}

function pruned(list: Node): Node | null {
  const kept = list.children.map((child) => (child.type === nodes.list ? pruned(child) : child)).filter((child) => child !== null);
  if (!kept.length) return null;
  return kept.length === list.childCount && kept.every((child, at) => child === list.child(at)) ? list : list.copy(Fragment.fromArray(kept));
}

/** Move an item out of the list at `listDepth`, which is split around `replacement`. */
function takeOut(tr: Transaction, { node, depth, $at }: Item, listDepth: number, replacement: Node): void {
  const list = $at.node(listDepth);
  const start = $at.start(listDepth);
  const offset = $at.before(depth) - start;
  const before = part(list, 0, offset);
  const after = part(list, offset + node.nodeSize, list.content.size);
  const cursor = $at.before(listDepth) + (before?.nodeSize ?? 0) + 1 + $at.parentOffset;
  tr.replaceWith($at.before(listDepth), $at.after(listDepth), [before, replacement, after].filter((found) => found !== null));
  tr.setSelection(TextSelection.create(tr.doc, Math.min(cursor, tr.doc.content.size)));
}

/** Indent an item: move it into the nested list before it, or into a new one. The first item cannot be indented. */
export const indent: Command = (state, dispatch) => {
  const item = itemAt(state.selection.$from);
  if (!item) return false;
  const { $at, depth, list, node } = item;
  const index = $at.index(depth - 1);
  if (index === 0) return false;
  if (!dispatch) return true;
  const before = list.child(index - 1);
  const from = $at.before(depth);
  const tr = state.tr;
  const [start, content, shift] =
    before.type === nodes.list
      ? [from - before.nodeSize, before.copy(before.content.addToEnd(node)), -1]
      : [from, nodes.list.create({ format: list.attrs.format, indentLevel: (Number(list.attrs.indentLevel) || 0) + 1 }, node), 1];
  tr.replaceWith(start, from + node.nodeSize, content);
  tr.setSelection(TextSelection.create(tr.doc, $at.pos + shift));
  dispatch(tr.scrollIntoView());
  return true;
};

/** Outdent an item. An item of the outermost list becomes a paragraph. */
export const outdent: Command = (state, dispatch) => {
  const item = itemAt(state.selection.$from);
  if (!item) return false;
  if (dispatch) {
    const tr = state.tr;
    const isNested = item.$at.node(item.depth - 2).type === nodes.list;
    takeOut(tr, item, item.depth - 1, isNested ? item.node : nodes.paragraph.create(null, item.node.content));
    dispatch(tr.scrollIntoView());
  }
  return true;
};

/** Outdent an item if it is empty, or with `leaveAtStart` if the cursor is at its start. */
export const leaveEmpty: Command = (state, dispatch) => {
  const item = itemAt(state.selection.$from);
  return item && state.selection.empty && item.node.content.size === 0 ? outdent(state, dispatch) : false;
};
export const leaveAtStart: Command = (state, dispatch) =>
  state.selection.empty && state.selection.$from.parentOffset === 0 ? outdent(state, dispatch) : false;

/** Turn all selected items into paragraphs outside of their lists. */
export function freeItems(tr: Transaction): Transaction {
  for (let guard = 0; guard < 1000; guard++) {
    const { from, to } = tr.selection;
    const found: number[] = [];
    tr.doc.nodesBetween(from, to, (node, at) => {
      if (node.type === nodes.list_item) found.push(at + 1);
    });
    const last = found.at(-1);
    if (last === undefined) return tr;
    const item = itemAt(tr.doc.resolve(last))!;
    takeOut(tr, item, 1, nodes.paragraph.create(null, item.node.content));
    const anchor = Math.min(from, tr.doc.content.size);
    tr.setSelection(TextSelection.between(tr.doc.resolve(anchor), tr.selection.$to));
  }
  return tr;
}

/** Turn the selected blocks into a list, change the format of a list, or turn it into paragraphs. */
export function toggleList(format: 'ordered' | 'unordered'): Command {
  return (state, dispatch) => {
    const { $from, $to } = state.selection;
    const item = itemAt($from);
    if (item) {
      if (!dispatch) return true;
      if (item.list.attrs.format === format) dispatch(freeItems(state.tr).scrollIntoView());
      else dispatch(state.tr.setNodeAttribute($from.before($from.depth - 1), 'format', format));
      return true;
    }
    const range = $from.blockRange($to);
    if (!range || range.depth !== 0) return false;
    const blocks = state.doc.children.slice(range.startIndex, range.endIndex);
    if (!blocks.every(({ isTextblock }) => isTextblock)) return false;
    const items = blocks.map(({ content }) => nodes.list_item.create(null, content));
    if (dispatch) {
      const tr = state.tr.replaceWith(range.start, range.end, nodes.list.create({ format }, items));
      tr.setSelection(TextSelection.create(tr.doc, $from.pos + 1, $to.pos + 1));
      dispatch(tr.scrollIntoView());
    }
    return true;
  };
}
