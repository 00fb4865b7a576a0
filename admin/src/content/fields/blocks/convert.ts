/**
 * Conversion between v4's JSON of blocks and ProseMirror documents. Unchanged nodes return exactly their original JSON;
 * changed ones are written as in v4's editor.
 */
import { Fragment, type Mark, type Node } from 'prosemirror-model';
import { FLAGS, schema, type Json } from './schema';

const { nodes, marks } = schema;
const origins = new WeakMap<Node, unknown>();
const BLOCKS: Readonly<Record<string, 'paragraph' | 'quote' | 'code_block'>> = { paragraph: 'paragraph', quote: 'quote', code: 'code_block' };
const TYPES: Readonly<Record<string, string>> = { list_item: 'list-item', code_block: 'code' };

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
const orNull = (rest: Json): Json | null => (Object.keys(rest).length ? rest : null);
const flags: ReadonlySet<string> = new Set(FLAGS);

/** Whether the editor can show a value. */
export function isBlocks(value: unknown): value is unknown[] | null | undefined {
  return value === null || value === undefined || Array.isArray(value);
}

export function toDocument(value: readonly unknown[] | null | undefined): Node {
  const blocks = (value ?? []).map((json) => keep(json, toBlock(json)));
  return nodes.doc.create(null, blocks.length ? blocks : [nodes.paragraph.create()]);
}

function keep(json: unknown, node: Node): Node {
  origins.set(node, json);
  return node;
}

function toBlock(json: unknown): Node {
  if (isObject(json) && Array.isArray(json.children)) {
    const { type, children, ...rest } = json as Json & { children: unknown[] };
    if (type === 'list') return toList(json, nodes.unknown);
    if (type === 'image' && isObject(rest.image)) {
      const { image, ...more } = rest;
      return nodes.image.create({ image, rest: { ...more, children } });
    }
    if (type === 'heading') {
      const { level, ...more } = rest;
      return typeof level === 'number' ? nodes.heading.create({ level, rest: orNull(more) }, toInline(children)) : nodes.unknown.create({ json });
    }
    const name = BLOCKS[String(type)];
    if (name) return nodes[name].create({ rest: orNull(rest) }, toInline(children));
  }
  return nodes.unknown.create({ json });
}

function toList(json: Json, otherwise: (typeof nodes)[string]): Node {
  const { type: _, children, format, indentLevel, ...rest } = json;
  const parts = children as unknown[];
  if (!parts.length || (format !== 'ordered' && format !== 'unordered')) return otherwise!.create({ json });
  const attrs = { format, indentLevel: indentLevel ?? null, rest: orNull(rest) };
  return nodes.list.create(attrs, parts.map((part) => keep(part, toItem(part))));
}

function toItem(json: unknown): Node {
  if (isObject(json) && Array.isArray(json.children)) {
    if (json.type === 'list') return toList(json, nodes.unknown_item);
    if (json.type === 'list-item') {
      const { type: _, children, ...rest } = json;
      return nodes.list_item.create({ rest: orNull(rest) }, toInline(children as unknown[]));
    }
  }
  return nodes.unknown_item.create({ json });
}

function toInline(children: readonly unknown[]): Fragment {
  return Fragment.fromArray(children.flatMap((child) => toTexts(child) ?? [nodes.unknown_inline.create({ json: child })]));
}

/** Return the text nodes of a text or a link; null for other nodes. */
function toTexts(json: unknown): Node[] | null {
  if (!isObject(json)) return null;
  if (typeof json.text === 'string' && (json.type === 'text' || json.type === undefined)) {
    return json.text === '' ? [] : [schema.text(json.text, marksOf(json))];
  }
  const { type, url, children, ...rest } = json;
  if (type !== 'link' || typeof url !== 'string' || !Array.isArray(children)) return null;
  const link = marks.link.create({ url, rest: orNull(rest) });
  const texts = children.map((child) => (isObject(child) && 'text' in child ? toTexts(child) : null));
  if (texts.includes(null)) return null;
  return texts.flatMap((found) => found!.map((node) => node.mark(link.addToSet(node.marks))));
}

function marksOf({ type: _type, text: _text, ...said }: Json): Mark[] {
  const rest = Object.fromEntries(Object.entries(said).filter(([name, value]) => value !== true || !flags.has(name)));
  const found = FLAGS.filter((name) => said[name] === true).map((name) => marks[name].create());
  return orNull(rest) ? [...found, marks.other.create({ rest })] : found;
}

export function fromDocument(document: Node): unknown[] {
  return document.children.map(fromNode);
}

function fromNode(node: Node): unknown {
  if (origins.has(node)) return origins.get(node);
  const json = written(node);
  origins.set(node, json);
  return json;
}

function written(node: Node): unknown {
  const { rest, json, image, ...known } = node.attrs as Json;
  switch (node.type) {
    case nodes.unknown:
    case nodes.unknown_item:
    case nodes.unknown_inline:
      return json;
    case nodes.image:
      return { type: 'image', image, children: [{ type: 'text', text: '' }], ...(rest as Json | null) };
    case nodes.list: {
      const { format, indentLevel } = known;
      return { type: 'list', format, ...(indentLevel === null ? {} : { indentLevel }), ...(rest as Json | null), children: node.children.map(fromNode) };
    }
    default: {
      const type = TYPES[node.type.name] ?? node.type.name;
      return { type, ...known, ...(rest as Json | null), children: fromInline(node) };
    }
  }
}

/** Return inline nodes as v4 stores them: with texts before, between and after links, and at least one text. */
function fromInline(parent: Node): Json[] {
  const found: Json[] = [];
  let open: Mark | undefined;
  for (const node of parent.children) {
    const link = node.marks.find(({ type }) => type === marks.link);
    const json = node.isText ? fromText(node) : (fromNode(node) as Json);
    if (link && open && link.eq(open)) (found.at(-1)!.children as Json[]).push(json);
    else {
      if ((link || !node.isText) && found.at(-1)?.type !== 'text') found.push(empty());
      found.push(link ? { type: 'link', url: link.attrs.url, ...(link.attrs.rest as Json | null), children: [json] } : json);
    }
    open = link;
  }
  if (found.at(-1)?.type !== 'text') found.push(empty());
  return found;
}

const empty = (): Json => ({ type: 'text', text: '' });

function fromText(node: Node): Json {
  const json: Json = { type: 'text', text: node.text };
  for (const mark of node.marks) {
    if (mark.type === marks.other) Object.assign(json, mark.attrs.rest);
    else if (mark.type !== marks.link) json[mark.type.name] = true;
  }
  return json;
}

/** Whether two values are equal as JSON; the order of keys is ignored. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one)) return Array.isArray(other) && one.length === other.length && one.every((item, at) => isSameJson(item, other[at]));
  if (!isObject(one) || !isObject(other)) return false;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => name in other && isSameJson(one[name], other[name]));
}
