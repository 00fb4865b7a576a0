/**
 * A relation that is being changed: what it leads to, in order, and what that comes to for the service. Of a relation
 * only the pages that were looked at are known; what is changed is told relative to them, as v4 does (`position`).
 */

/** An entry that a relation leads to, or might. */
export interface Linked {
  id: number;
  /** What it is called, where one may know. */
  title: string;
  /** Null for a draft, undefined where there are no drafts. */
  publishedAt?: string | null | undefined;
  /** One may know that it is there, and nothing else of it. */
  isHidden?: boolean;
}

export interface Position {
  before?: number;
  end?: true;
}

/** The value of a relation in a form, once it was changed. The service takes `connect` and `disconnect` of it. */
export interface RelationWork {
  connect: { id: number; position?: Position }[];
  disconnect: { id: number }[];
  /** What was looked at, as it is now, in order. The last links are always among it. */
  shown: Linked[];
  /** Links that were added or moved. */
  touched: number[];
}

/** What a relation leads to as far as it was looked at, and with what was changed. */
export function shownOf(known: readonly Linked[], work: RelationWork | undefined): readonly Linked[] {
  if (!work) return known;
  const gone = new Set([...work.disconnect, ...work.shown].map(({ id }) => id));
  const earlier = known.filter(({ id }) => !gone.has(id));
  return earlier.length ? [...earlier, ...work.shown] : work.shown;
}

const start = (known: readonly Linked[], work: RelationWork | undefined): RelationWork => ({
  connect: [],
  disconnect: work?.disconnect ?? [],
  shown: [...shownOf(known, work)],
  touched: work?.touched ?? [],
});

export function added(known: readonly Linked[], work: RelationWork | undefined, linked: Linked): RelationWork {
  const next = start(known, work);
  if (next.shown.some(({ id }) => id === linked.id)) return work ?? next;
  const isBack = next.disconnect.some(({ id }) => id === linked.id);
  next.shown.push(linked);
  next.touched = [...next.touched, linked.id];
  if (isBack) next.disconnect = next.disconnect.filter(({ id }) => id !== linked.id);
  return told(next);
}

/** `isStored`: the service has this link. */
export function removed(known: readonly Linked[], work: RelationWork | undefined, id: number, isStored: boolean): RelationWork {
  const next = start(known, work);
  next.shown = next.shown.filter((one) => one.id !== id);
  next.touched = next.touched.filter((one) => one !== id);
  if (isStored) next.disconnect = [...next.disconnect, { id }];
  return told(next);
}

export function reordered(known: readonly Linked[], work: RelationWork | undefined, from: number, to: number): RelationWork {
  const next = start(known, work);
  const [linked] = next.shown.splice(from, 1);
  if (!linked) return next;
  next.shown.splice(to, 0, linked);
  next.touched = [...next.touched.filter((id) => id !== linked.id), linked.id];
  return told(next);
}

/** The same links, with what is known of one of them now. */
export function renewed(work: RelationWork, linked: Linked): RelationWork {
  return { ...work, shown: work.shown.map((one) => (one.id === linked.id ? linked : one)) };
}

/** A relation to one: what it leads to instead. */
export function replaced(stored: Linked | null, linked: Linked | null): RelationWork {
  const isSame = stored?.id === linked?.id;
  return {
    connect: linked && !isSame ? [{ id: linked.id }] : [],
    disconnect: stored && !isSame ? [{ id: stored.id }] : [],
    shown: linked ? [linked] : [],
    touched: [],
  };
}

/** Each link that was touched is placed before the next one; from the last on, so that this one has its place already. */
function told(work: RelationWork): RelationWork {
  const touched = new Set(work.touched);
  const { shown } = work;
  for (let index = shown.length - 1; index >= 0; index--) {
    const { id } = shown[index]!;
    const next = shown[index + 1];
    if (touched.has(id)) work.connect.push({ id, position: next ? { before: next.id } : { end: true } });
  }
  return work;
}
