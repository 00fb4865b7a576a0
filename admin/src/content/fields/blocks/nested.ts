/** Nested lists. HTML allows only items in a list, so each nested list is rendered inside its own item. */
import type { NodeViewConstructor } from 'prosemirror-view';
import { schema } from './schema';

export const viewList: NodeViewConstructor = (node, view, getPos) => {
  const contentDOM = document.createElement(node.attrs.format === 'ordered' ? 'ol' : 'ul');
  const at = getPos();
  if (at === undefined || view.state.doc.resolve(at).parent.type !== schema.nodes.list) return { dom: contentDOM, contentDOM };
  const dom = document.createElement('li');
  dom.className = 'nested';
  dom.append(contentDOM);
  return { dom, contentDOM };
};
