/**
 * ProseMirror schema of v4's blocks. Each node type is one of v4's, so that conversion loses nothing. `rest` contains
 * unknown keys, and unknown nodes have their own types.
 */
import { Schema, type DOMOutputSpec, type NodeSpec } from 'prosemirror-model';
import { publicUrl } from '../../../api/root';
import { isSafe } from '../text/addresses';

export type Json = Record<string, unknown>;

const rest = { rest: { default: null } };
const text = (tag: string, more: Partial<NodeSpec> = {}): NodeSpec => ({
  content: 'inline*',
  group: 'block',
  whitespace: 'pre',
  attrs: rest,
  parseDOM: [{ tag }],
  toDOM: (): DOMOutputSpec => [tag, 0],
  ...more,
});
const read = (dom: HTMLElement, name: string): Json | null => {
  try {
    return JSON.parse(dom.getAttribute(name) ?? 'null') as Json | null;
  } catch {
    return null;
  }
};
/** A node of an unknown type, shown as JSON and never changed. */
const unknown = (tag: string, more: Partial<NodeSpec>): NodeSpec => ({
  atom: true,
  attrs: { json: {} },
  parseDOM: [{ tag: `${tag}[data-unknown]`, getAttrs: (dom) => ({ json: read(dom, 'data-unknown') ?? {} }) }],
  toDOM: ({ attrs }): DOMOutputSpec => [tag, { 'data-unknown': JSON.stringify(attrs.json), class: 'unknown' }, JSON.stringify(attrs.json)],
  ...more,
});
const flag = (tag: string, ...others: string[]) => ({
  parseDOM: [tag, ...others].map((found) => ({ tag: found })),
  toDOM: (): DOMOutputSpec => [tag, 0],
});

export const schema = new Schema({
  nodes: {
    doc: { content: 'block+' },
    paragraph: text('p'),
    heading: text('h1', {
      attrs: { level: { default: 1 }, ...rest },
      defining: true,
      parseDOM: [1, 2, 3, 4, 5, 6].map((level) => ({ tag: `h${level}`, attrs: { level } })),
      toDOM: ({ attrs }) => [`h${Math.min(Math.max(Number(attrs.level) || 1, 1), 6)}`, 0],
    }),
    quote: text('blockquote', { defining: true }),
    code_block: text('pre', { code: true, defining: true, parseDOM: [{ tag: 'pre', preserveWhitespace: 'full' }], toDOM: () => ['pre', ['code', 0]] }),
    list: {
      content: '(list_item | list | unknown_item)+',
      group: 'block',
      attrs: { format: { default: 'unordered' }, indentLevel: { default: null }, ...rest },
      parseDOM: [
        { tag: 'ul', attrs: { format: 'unordered' } },
        { tag: 'ol', attrs: { format: 'ordered' } },
      ],
      toDOM: ({ attrs }) => [attrs.format === 'ordered' ? 'ol' : 'ul', 0],
    },
    list_item: text('li', { group: '', defining: true }),
    image: {
      group: 'block',
      atom: true,
      draggable: true,
      attrs: { image: {}, ...rest },
      parseDOM: [{ tag: 'figure[data-image]', getAttrs: (dom) => ({ image: read(dom, 'data-image') ?? {} }) }],
      toDOM: ({ attrs }) => {
        const image = attrs.image as Json;
        const attributes = { src: publicUrl(String(image.url ?? '')), alt: String(image.alternativeText ?? ''), loading: 'lazy' };
        return ['figure', { 'data-image': JSON.stringify(image) }, ['img', attributes]];
      },
    },
    unknown: unknown('div', { group: 'block' }),
    unknown_item: unknown('section', {}),
    unknown_inline: unknown('span', { inline: true, group: 'inline' }),
    text: { group: 'inline' },
  },
  marks: {
    link: {
      attrs: { url: {}, ...rest },
      inclusive: false,
      parseDOM: [
        {
          tag: 'a[href], a[data-url]',
          getAttrs: (dom) => {
            const url = dom.getAttribute('data-url') ?? dom.getAttribute('href') ?? '';
            return isSafe(url) ? { url, rest: read(dom, 'data-rest') } : false;
          },
        },
      ],
      toDOM: ({ attrs }) => {
        const url = String(attrs.url);
        const kept = attrs.rest ? { 'data-rest': JSON.stringify(attrs.rest) } : {};
        return ['a', { 'data-url': url, title: url, ...(isSafe(url) ? { href: url, rel: 'noopener noreferrer' } : {}), ...kept }, 0];
      },
    },
    bold: flag('strong', 'b'),
    italic: flag('em', 'i'),
    underline: flag('u'),
    strikethrough: flag('s', 'del', 'strike'),
    code: flag('code'),
    /** Unknown keys of a text. */
    other: {
      attrs: { rest: {} },
      excludes: '',
      parseDOM: [{ tag: 'span[data-other]', getAttrs: (dom) => ({ rest: read(dom, 'data-other') ?? {} }) }],
      toDOM: ({ attrs }) => ['span', { 'data-other': JSON.stringify(attrs.rest) }, 0],
    },
  },
});

export const FLAGS = ['bold', 'italic', 'underline', 'strikethrough', 'code'] as const;
export type Flag = (typeof FLAGS)[number];
