/** The lines of icons. Each is created once and then cloned. */
export interface Icon {
  name: string;
  node: readonly (readonly [tag: string, attributes: Readonly<Record<string, string>>])[];
}

/** Icons that point in the reading direction, mirrored in right-to-left pages. */
export const POINTING: ReadonlySet<string> = new Set([
  ...['arrow-left', 'chevron-left', 'chevron-right', 'columns-2', 'external-link', 'file-text', 'list', 'list-checks'],
  ...['list-ordered', 'log-out', 'send', 'text-align-start', 'undo-2'],
]);

const SVG = 'http://www.w3.org/2000/svg';
const known = new Map<string, DocumentFragment>();

/** Return a clone of an icon's lines. */
export function linesOf(icon: Icon): Node {
  let lines = known.get(icon.name);
  if (!lines) {
    lines = document.createDocumentFragment();
    for (const [tag, attributes] of icon.node) {
      const line = document.createElementNS(SVG, tag);
      for (const [name, value] of Object.entries(attributes)) line.setAttribute(name, value);
      lines.append(line);
    }
    known.set(icon.name, lines);
  }
  return lines.cloneNode(true);
}
