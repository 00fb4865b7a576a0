/** Short notices about what has happened, said to screen readers too. */
export interface Toast {
  id: number;
  kind: 'done' | 'failed';
  text: string;
  /** What can be done about it: undo, say. */
  action?: { label: string; run: () => void } | undefined;
}

const SECONDS = { done: 5, failed: 12 };
/** Long enough to read and to reach what can be done about it. */
const SECONDS_TO_ACT = 20;
let count = 0;

export const toasts = $state<Toast[]>([]);

/** Say that something worked or failed. What works takes away what has failed before: it was tried again. */
export function toast(kind: Toast['kind'], text: string, action?: Toast['action']): number {
  dismissFailures(kind === 'done' ? undefined : text);
  return show(kind, text, action);
}

/** Say something that has no part in earlier failures: what is copied, or removed from a form that is not saved. */
export function note(text: string, action?: Toast['action']): number {
  return show('done', text, action);
}

function show(kind: Toast['kind'], text: string, action?: Toast['action']): number {
  const id = ++count;
  toasts.push({ id, kind, text, action });
  const seconds = action ? SECONDS_TO_ACT : SECONDS[kind];
  setTimeout(() => dismiss(id), seconds * 1000);
  return id;
}

/** Failures belong to a page and to what was tried there: both may be over before their time is. */
export function dismissFailures(same?: string): void {
  for (const { id } of toasts.filter(({ kind, text }) => kind === 'failed' && (same ?? text) === text)) dismiss(id);
}

export function dismiss(id: number): void {
  const index = toasts.findIndex((found) => found.id === id);
  if (index >= 0) toasts.splice(index, 1);
}
