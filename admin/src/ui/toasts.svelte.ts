/** Short notifications, announced to screen readers too. */
export interface Toast {
  id: number;
  kind: 'done' | 'failed';
  text: string;
  /** An action, such as undo. */
  action?: { label: string; run: () => void } | undefined;
}

const SECONDS = { done: 5, failed: 12 };
/** Enough time to read the text and reach the action. */
const SECONDS_TO_ACT = 20;
let count = 0;

export const toasts = $state<Toast[]>([]);

/** Show a success or a failure. A success removes earlier failures, because the action was repeated. */
export function toast(kind: Toast['kind'], text: string, action?: Toast['action']): number {
  dismissFailures(kind === 'done' ? undefined : text);
  return show(kind, text, action);
}

/** Show a notification without removing failures, for example after copying. */
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

/** Remove failures: those of the previous page, or with `same`, those with this text. */
export function dismissFailures(same?: string): void {
  for (const { id } of toasts.filter(({ kind, text }) => kind === 'failed' && (same ?? text) === text)) dismiss(id);
}

export function dismiss(id: number): void {
  const index = toasts.findIndex((found) => found.id === id);
  if (index >= 0) toasts.splice(index, 1);
}
