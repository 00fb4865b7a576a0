/**
 * Open dialogs, the topmost last. Notifications are inside the topmost one, because a modal dialog hides the page from
 * screen readers and the keyboard.
 */
const open = $state<string[]>([]);

/** Return whether a dialog is the topmost one; without a name, whether none is open. */
export function isTopmost(dialog?: string): boolean {
  return open.at(-1) === dialog;
}

/** Register an open dialog. Returns a function that removes it. */
export function stack(dialog: string): () => void {
  open.push(dialog);
  return () => void open.splice(open.indexOf(dialog), 1);
}
