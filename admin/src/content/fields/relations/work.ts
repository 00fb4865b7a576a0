/**
 * Unsaved changes of a relation: its links in order, and the changes for the server. The form knows only the pages that
 * were loaded, so changes are relative to other links, as in v4 (`position`).
 */

/** A linked entry, or a possible target. */
export interface Linked {
  id: number;
  /** The title, or the id if the user cannot read the title. */
  title: string;
  /** Null for a draft; undefined for types without drafts. */
  publishedAt?: string | null | undefined;
  /** Whether the user can only see that the entry exists. */
  isHidden?: boolean;
}

export interface Position {
  before?: number;
  end?: true;
}

/** A changed relation's value in the form. The server uses `connect` and `disconnect`. */
export interface RelationWork {
  connect: { id: number; position?: Position }[];
  disconnect: { id: number }[];
  /** The loaded links in their new order. They always include the last ones. */
  shown: Linked[];
  /** Links that were added or moved. */
  touched: number[];
}

/** Return the loaded links with unsaved changes. */
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

/** Remove a link. `isStored`: whether the server has it. */
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

/** Return the links with one of them updated. */
export function renewed(work: RelationWork, linked: Linked): RelationWork {
  return { ...work, shown: work.shown.map((one) => (one.id === linked.id ? linked : one)) };
}

/** Return a to-one relation with another target. */
export function replaced(stored: Linked | null, linked: Linked | null): RelationWork {
  const isSame = stored?.id === linked?.id;
  return {
    connect: linked && !isSame ? [{ id: linked.id }] : [],
    disconnect: stored && !isSame ? [{ id: stored.id }] : [],
    shown: linked ? [linked] : [],
    touched: [],
  };
}

/**
 * Position each added or moved link before the next one. Start with the last, so that the next one is already in place.
 */
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
