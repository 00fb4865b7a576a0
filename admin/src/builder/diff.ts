/** Compare two texts by lines, with few unchanged lines around each difference. */
export interface DiffLine {
  kind: 'same' | 'added' | 'removed' | 'gap';
  text: string;
}

const CONTEXT = 3;
const LONGEST = 2000;

/**
 * Return the lines of both texts in order, by their longest common subsequence; for long texts, all old lines, then all
 * new ones.
 */
export function diff(before: string, after: string): DiffLine[] {
  const old = lines(before);
  const now = lines(after);
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  const middle = between(old.slice(start, old.length - end), now.slice(start, now.length - end));
  const head = old.slice(0, start).map(same);
  const tail = old.slice(old.length - end).map(same);
  return shortened([...head, ...middle, ...tail]);
}

const lines = (text: string): string[] => (text ? text.replace(/\n$/, '').split('\n') : []);
const same = (text: string): DiffLine => ({ kind: 'same', text });
const removed = (text: string): DiffLine => ({ kind: 'removed', text });
const added = (text: string): DiffLine => ({ kind: 'added', text });

function between(old: string[], now: string[]): DiffLine[] {
  if (old.length * now.length > LONGEST * LONGEST) return [...old.map(removed), ...now.map(added)];
  const width = now.length + 1;
  const common = new Uint16Array((old.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      common[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const found: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    const [was, is] = [old[i], now[j]];
    if (was !== undefined && was === is) {
      found.push(same(was));
      i++;
      j++;
    } else if (was !== undefined && (is === undefined || at(i + 1, j) >= at(i, j + 1))) {
      found.push(removed(was));
      i++;
    } else if (is !== undefined) {
      found.push(added(is));
      j++;
    }
  }
  return found;
}

function shortened(all: DiffLine[]): DiffLine[] {
  const isNear = all.map((_, index) => all.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some((line) => line.kind !== 'same'));
  const found: DiffLine[] = [];
  all.forEach((line, index) => {
    if (isNear[index]) found.push(line);
    else if (found.at(-1)?.kind !== 'gap') found.push({ kind: 'gap', text: '…' });
  });
  return found;
}
