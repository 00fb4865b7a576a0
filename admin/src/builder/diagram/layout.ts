/** Arrange a diagram of definitions: the positions of boxes and of lines. The same model gives the same diagram. */
import type { Model, RawAttribute } from '../model';

export interface Node {
  uid: string;
  name: string;
  isComponent: boolean;
  attributes: { name: string; type: string; targets: string[] }[];
}
export interface Box extends Node {
  x: number;
  y: number;
  height: number;
}
export interface Line {
  id: string;
  from: string;
  to: string;
  path: string;
  isRelation: boolean;
}
export interface Picture {
  boxes: Box[];
  lines: Line[];
  width: number;
  height: number;
}

export const WIDTH = 220;
export const HEAD = 34;
export const ROW = 20;
export const MOST = 12;
const GAP = { x: 110, y: 28 };
const PADDING = 12;

const targetsOf = (raw: RawAttribute): string[] =>
  [raw.target, raw.component, ...((raw.components as unknown[] | undefined) ?? [])].filter((one) => typeof one === 'string');

export function nodesOf(model: Model, hasComponents: boolean): Node[] {
  const listed = [
    ...model.types.filter((one) => one.schema.visible).map((one) => ({ ...one, isComponent: false })),
    ...(hasComponents ? model.components.map((one) => ({ ...one, isComponent: true })) : []),
  ].sort((a, b) => a.uid.localeCompare(b.uid));
  const known = new Set(listed.map((one) => one.uid));
  return listed.map((one) => ({
    uid: one.uid,
    name: one.schema.displayName,
    isComponent: one.isComponent,
    attributes: Object.entries(one.schema.attributes).map(([name, raw]) => ({
      name,
      type: raw.type,
      targets: targetsOf(raw).filter((uid) => known.has(uid)),
    })),
  }));
}

interface Edge {
  from: string;
  to: string;
  isRelation: boolean;
}

/** Return each pair of related definitions once. */
function edgesOf(model: Model, nodes: readonly Node[]): Edge[] {
  const known = new Set(nodes.map((node) => node.uid));
  const found = new Map<string, Edge>();
  for (const one of [...model.types, ...model.components]) {
    if (!known.has(one.uid)) continue;
    for (const raw of Object.values(one.schema.attributes)) {
      for (const to of targetsOf(raw)) {
        const key = [one.uid, to].sort().join(' ');
        if (known.has(to) && !found.has(key)) found.set(key, { from: one.uid, to, isRelation: raw.type === 'relation' });
      }
    }
  }
  return [...found.values()];
}

/**
 * Return columns: the definition with most relations first, then its targets, and so on. Unrelated ones fill the
 * columns.
 */
function columnsOf(nodes: readonly Node[], edges: readonly Edge[]): string[][] {
  const near = new Map(nodes.map((node) => [node.uid, new Set<string>()]));
  for (const { from, to } of edges) {
    if (from === to) continue;
    near.get(from)?.add(to);
    near.get(to)?.add(from);
  }
  const degree = (uid: string): number => near.get(uid)?.size ?? 0;
  const open = nodes.map((node) => node.uid).sort((a, b) => degree(b) - degree(a) || a.localeCompare(b));
  const seen = new Set<string>();
  const columns: string[][] = [];
  for (const start of open) {
    if (seen.has(start) || !degree(start)) continue;
    let layer = [start];
    seen.add(start);
    for (let depth = 0; layer.length; depth++) {
      (columns[depth] ??= []).push(...layer);
      const next = [...new Set(layer.flatMap((uid) => [...(near.get(uid) ?? [])]))].filter((uid) => !seen.has(uid));
      for (const uid of next) seen.add(uid);
      layer = next;
    }
  }
  order(columns, near);
  const alone = open.filter((uid) => !seen.has(uid));
  const tall = Math.max(4, ...columns.map((column) => column.length));
  for (let index = 0; index < alone.length; index += tall) columns.push(alone.slice(index, index + tall));
  return columns;
}

const ROUNDS = 6;

/** Align related definitions: each at the mean height of its targets. */
function order(columns: string[][], near: ReadonlyMap<string, ReadonlySet<string>>): void {
  for (let round = 0; round < ROUNDS; round++) {
    const place = new Map(columns.flatMap((column) => column.map((uid, index) => [uid, index / column.length] as const)));
    const middle = (uid: string): number => {
      const places = [...(near.get(uid) ?? [])].map((other) => place.get(other) ?? 0);
      return places.length ? places.reduce((sum, one) => sum + one, 0) / places.length : 0;
    };
    for (const column of columns) column.sort((a, b) => middle(a) - middle(b) || a.localeCompare(b));
  }
}

const heightOf = (node: Node): number => HEAD + ROW * Math.min(node.attributes.length, MOST + 1) + PADDING;

export function pictureOf(model: Model, hasComponents: boolean): Picture {
  const nodes = nodesOf(model, hasComponents);
  const edges = edgesOf(model, nodes);
  const byUid = new Map(nodes.map((node) => [node.uid, node]));
  const stacks = columnsOf(nodes, edges).map((column) => column.flatMap((uid) => byUid.get(uid) ?? []));
  const tallness = (stack: Node[]): number => stack.reduce((sum, node) => sum + heightOf(node) + GAP.y, -GAP.y);
  const height = Math.max(0, ...stacks.map(tallness));
  const boxes = new Map<string, Box>();
  stacks.forEach((stack, column) => {
    let y = (height - tallness(stack)) / 2;
    for (const node of stack) {
      boxes.set(node.uid, { ...node, x: column * (WIDTH + GAP.x), y, height: heightOf(node) });
      y += heightOf(node) + GAP.y;
    }
  });
  const lines = edges.flatMap((edge) => {
    const [from, to] = [boxes.get(edge.from), boxes.get(edge.to)];
    return from && to ? [{ ...edge, id: `${edge.from} ${edge.to}`, path: pathOf(from, to) }] : [];
  });
  return { boxes: [...boxes.values()], lines, width: Math.max(WIDTH, stacks.length * (WIDTH + GAP.x) - GAP.x), height };
}

/** Return where a line leaves a box: at the attribute that links to the other one. */
function height(box: Box, other: string): number {
  const index = box.attributes.findIndex((attribute) => attribute.targets.includes(other));
  return box.y + (index < 0 ? HEAD / 2 : HEAD + ROW * (Math.min(index, MOST) + 0.5));
}

function pathOf(from: Box, to: Box): string {
  const [a, b] = [height(from, to.uid), height(to, from.uid)];
  if (from === to) {
    const [right, far] = [from.x + WIDTH, from.x + WIDTH + GAP.x / 2];
    return `M ${right} ${a - 4} C ${far} ${a - 40}, ${far} ${a + 40}, ${right} ${a + 4}`;
  }
  if (from.x === to.x) {
    const [right, bend] = [from.x + WIDTH, from.x + WIDTH + GAP.x / 2];
    return `M ${right} ${a} C ${bend} ${a}, ${bend} ${b}, ${right} ${b}`;
  }
  const [left, far] = from.x < to.x ? [from, to] : [to, from];
  const [start, end] = from.x < to.x ? [a, b] : [b, a];
  const [x1, x2] = [left.x + WIDTH, far.x];
  const bend = (x2 - x1) / 2;
  return `M ${x1} ${start} C ${x1 + bend} ${start}, ${x2 - bend} ${end}, ${x2} ${end}`;
}
