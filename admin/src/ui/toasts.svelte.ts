/** Short notices about what has happened, said to screen readers too. */
export interface Toast {
  id: number;
  kind: 'done' | 'failed';
  text: string;
  /** What can be done about it: undo, say. */
  action?: { label: string; run: () => void } | undefined;
}

const SECONDS = { done: 5, failed: 12 };
let count = 0;

export const toasts = $state<Toast[]>([]);

export function toast(kind: Toast['kind'], text: string, action?: Toast['action']): void {
  const id = ++count;
  toasts.push({ id, kind, text, action });
  setTimeout(() => dismiss(id), SECONDS[kind] * 1000);
}

export function dismiss(id: number): void {
  const index = toasts.findIndex((found) => found.id === id);
  if (index >= 0) toasts.splice(index, 1);
}
