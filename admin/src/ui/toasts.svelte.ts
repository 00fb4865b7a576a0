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

export function toast(kind: Toast['kind'], text: string, action?: Toast['action']): number {
  const id = ++count;
  toasts.push({ id, kind, text, action });
  const seconds = action ? SECONDS_TO_ACT : SECONDS[kind];
  setTimeout(() => dismiss(id), seconds * 1000);
  return id;
}

export function dismiss(id: number): void {
  const index = toasts.findIndex((found) => found.id === id);
  if (index >= 0) toasts.splice(index, 1);
}
