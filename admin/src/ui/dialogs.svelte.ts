/** Open dialogs, the topmost last. Notifications are part of that one: a modal dialog hides the page from screen readers and keys. */
const open = $state<string[]>([]);

/** Whether a dialog is the topmost one; without a name, whether none is open. */
export function isTopmost(dialog?: string): boolean {
  return open.at(-1) === dialog;
}

/** Note that a dialog is open. Returns what notes that it is closed. */
export function stack(dialog: string): () => void {
  open.push(dialog);
  return () => void open.splice(open.indexOf(dialog), 1);
}
