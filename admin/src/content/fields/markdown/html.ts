/** Conversion of rich text from other programs to Markdown: headings, lists, tables, links, images and marks. */
import { image, linkTo } from './commands';

/** HTML without any of these is plain text, for example code from an editor. */
const RICH = 'h1,h2,h3,h4,h5,h6,ul,ol,table,a[href],strong,b,em,i,del,s,blockquote,img[src],hr,[class^="MsoListParagraph"]';
const BLOCKS = 'p,div,h1,h2,h3,h4,h5,h6,ul,ol,li,table,blockquote,pre,hr,section,article,header,footer,main,figure,figcaption';
const HIDDEN = new Set(['SCRIPT', 'STYLE', 'TITLE', 'META', 'LINK', 'TEMPLATE', 'NOSCRIPT', 'SVG', 'HEAD']);
const ABSOLUTE = /^(https?:|mailto:|tel:)/i;
const LONGEST = 2_000_000;

/** Return the blocks of pasted HTML as Markdown; null if it is plain text. */
export function markdownBlocks(html: string): string[] | null {
  if (!html || html.length > LONGEST) return null;
  const { body } = new DOMParser().parseFromString(withoutStyles(html), 'text/html');
  if (!body.querySelector(RICH)) return null;
  nestWordLists(body);
  const blocks = blocksOf(body);
  return blocks.length ? blocks : null;
}

/**
 * Rename style attributes: the page's Content Security Policy forbids inline styles, even in a document that is never
 * shown.
 */
function withoutStyles(html: string): string {
  const pieces = html.split(/<\/style>/i).map((piece) => piece.replace(/<style[^]*$/i, ''));
  return pieces.join('').replace(/<[^<>]*>/g, (tag) => tag.replace(/\sstyle\s*=/gi, ' data-style='));
}
const styleOf = (element: HTMLElement, name: string): string =>
  new RegExp(`(?:^|;)\\s*${name}\\s*:\\s*([^;]+)`, 'i').exec(element.dataset.style ?? '')?.[1]?.trim().toLowerCase() ?? '';

function isElement(node: Node): node is HTMLElement {
  return node.nodeType === Node.ELEMENT_NODE;
}
const isList = (element: Element): boolean => element.tagName === 'UL' || element.tagName === 'OL';
const isBlock = (node: Node): node is HTMLElement => isElement(node) && (node.matches(BLOCKS) || node.querySelector(BLOCKS) !== null);

function blocksOf(parent: Node): string[] {
  const found: string[] = [];
  let run: Node[] = [];
  const flush = (): void => {
    const text = paragraph(run);
    if (text) found.push(text);
    run = [];
  };
  for (const child of parent.childNodes) {
    if (!isBlock(child)) {
      run.push(child);
      continue;
    }
    flush();
    found.push(...blockOf(child).filter(Boolean));
  }
  flush();
  return found;
}

function blockOf(element: HTMLElement): string[] {
  const heading = /^H([1-6])$/.exec(element.tagName);
  if (heading) {
    const text = line(element);
    return text ? [`${'#'.repeat(Number(heading[1]))} ${text}`] : [];
  }
  switch (element.tagName) {
    case 'HR':
      return ['---'];
    case 'UL':
    case 'OL':
      return [listOf(element)];
    case 'PRE':
      return [fenced(element.textContent ?? '')];
    case 'BLOCKQUOTE':
      return [prefixed(blocksOf(element).join('\n\n'), '> ')];
    case 'TABLE':
      return tableOf(element as HTMLTableElement);
    default:
      return blocksOf(element);
  }
}

const prefixed = (text: string, prefix: string): string => text.split('\n').map((one) => (prefix + one).trimEnd()).join('\n');
const indented = (text: string, width: number): string => text.replace(/\n(?=[^\n])/g, `\n${' '.repeat(width)}`);

function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text.replace(/\n$/, '')}\n${fence}`;
}

function listOf(list: Element): string {
  let number = Number(list.getAttribute('start')) || 1;
  const items: string[] = [];
  let width = 2;
  for (const child of list.children) {
    // Google Docs puts nested lists beside the items.
    if (isList(child)) {
      items.push(' '.repeat(width) + indented(listOf(child), width));
      continue;
    }
    const marker = list.tagName === 'OL' ? `${number++}. ` : '- ';
    width = marker.length;
    items.push(marker + indented(itemOf(child), width));
  }
  return items.join('\n');
}

function itemOf(item: Element): string {
  return blocksOf(item).reduce((text, block) => (text ? `${text}${/^(- |\d+\. )/.test(block) ? '\n' : '\n\n'}${block}` : block), '');
}

/**
 * Return a table with its first row as the header. Tables with one column only serve the layout, so return their
 * contents.
 */
function tableOf(table: HTMLTableElement): string[] {
  const rows = [...table.rows].map((row) => [...row.cells]);
  const width = Math.max(0, ...rows.map((cells) => cells.length));
  if (width < 2) return rows.flatMap((cells) => cells.flatMap(blocksOf));
  const texts = rows.map((cells) => Array.from({ length: width }, (_, at) => (cells[at] ? line(cells[at]).replaceAll('|', '\\|') : '')));
  const rule = `|${' --- |'.repeat(width)}`;
  const [head = '', ...rest] = texts.map((cells) => `| ${cells.join(' | ')} |`);
  return [[head, rule, ...rest].join('\n')];
}

function paragraph(nodes: readonly Node[]): string {
  const text = tidy(nodes.map(inline).join(''));
  return text.replace(/^(\d+)([.)])(?=\s)/, '$1\\$2').replace(/^(#{1,6}\s|[-+]\s|>|={3,}|-{3,})/, '\\$1');
}

/** Return an element's text in one line. */
const line = (element: Element): string =>
  tidy([...element.childNodes].map((child) => (isBlock(child) ? ` ${inline(child)} ` : inline(child))).join('').replace(/ *\n/g, ' '));

function tidy(text: string): string {
  return text
    .replace(/(?<!\\)\*\*( ?)\*\*/g, '$1') // join adjacent texts with the same mark
    .replace(/(?<![\\_])__(?!_)|~{4}/g, '')
    .replace(/[ \t]+/g, ' ')
    .replace(/ ?\n ?/g, '  \n')
    .trim();
}

function inline(node: Node): string {
  if (node.nodeType === Node.TEXT_NODE) return escaped((node.textContent ?? '').replace(/[\s\u200b]+/g, ' '));
  if (!isElement(node) || HIDDEN.has(node.tagName.toUpperCase())) return '';
  const inner = (): string => [...node.childNodes].map(inline).join('');
  switch (node.tagName) {
    case 'BR':
      return '\n';
    case 'IMG':
      return imageOf(node as HTMLImageElement);
    case 'CODE':
      return code((node.textContent ?? '').replace(/\s+/g, ' '));
    case 'A':
      return linkOf(node, marked(node, inner()));
    default:
      return marked(node, inner());
  }
}

function imageOf(element: HTMLImageElement): string {
  const source = element.getAttribute('src') ?? '';
  return /^https?:/i.test(source) ? image(source, element.alt.replace(/\s+/g, ' ')) : '';
}

function linkOf(element: HTMLElement, text: string): string {
  const url = element.getAttribute('href') ?? '';
  return text.trim() && ABSOLUTE.test(url) ? linkTo(url, text.trim()) : text;
}

function code(text: string): string {
  if (!text.trim()) return text;
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** Add an element's marks to its text. Google Docs uses styles, and wraps everything in a `<b>` with normal weight. */
function marked(element: HTMLElement, text: string): string {
  const [weight, slant, decoration] = ['font-weight', 'font-style', 'text-decoration(?:-line)?'].map((name) => styleOf(element, name)) as [string, string, string];
  const isTag = (...names: string[]): boolean => names.includes(element.tagName);
  const isLight = /^(normal|[1-5]00)$/.test(weight);
  const isBold = !isLight && (isTag('B', 'STRONG') || /^(bold|[6-9]00)$/.test(weight));
  const isItalic = slant !== 'normal' && (isTag('I', 'EM') || slant === 'italic');
  const isStruck = isTag('S', 'DEL', 'STRIKE') || decoration.includes('line-through');
  let found = text;
  if (isStruck) found = around(found, '~~');
  if (isItalic) found = around(found, '_');
  if (isBold) found = around(found, '**');
  return found;
}

/** Put marks around a text, but not around spaces at its ends. */
function around(text: string, mark: string): string {
  const [, before = '', inside = '', after = ''] = /^(\s*)([^]*?)(\s*)$/.exec(text) ?? [];
  return inside ? `${before}${mark}${inside}${mark}${after}` : text;
}

function escaped(text: string): string {
  return text.replace(/[\\`*[\]]|<(?=[a-z/!?])|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/giu, '\\$&');
}

/** Create lists from Word's paragraphs, which have their level in a style and their bullet as text. */
function nestWordLists(body: HTMLElement): void {
  const made = new Set<Element>();
  for (const item of body.querySelectorAll<HTMLElement>('[class^="MsoListParagraph"]')) {
    const mark = item.querySelector('[data-style*="mso-list:Ignore"], [data-style*="mso-list: Ignore"]');
    const tag = /^\s*\w+[.)]/.test(mark?.textContent ?? '') ? 'ol' : 'ul';
    const level = Math.min(Number(/level(\d+)/.exec(item.dataset.style ?? '')?.[1] ?? 1), 9);
    mark?.remove();
    const before = item.previousElementSibling;
    let list = before && made.has(before) ? before : null;
    if (!list) {
      list = body.ownerDocument.createElement(level === 1 ? tag : 'ul');
      made.add(list);
      item.before(list);
    }
    for (let depth = 1; depth < level; depth++) list = innerList(list, tag);
    const entry = body.ownerDocument.createElement('li');
    entry.append(...item.childNodes);
    list.append(entry);
    item.remove();
  }
}

function innerList(list: Element, tag: string): Element {
  const entry = list.lastElementChild ?? list.appendChild(list.ownerDocument.createElement('li'));
  const last = entry.lastElementChild;
  return last && isList(last) ? last : entry.appendChild(list.ownerDocument.createElement(tag));
}
