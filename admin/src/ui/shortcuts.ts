/** Keyboard shortcuts of whole pages. Editors and controls come first: a key that one of them has handled is theirs. */
export function isShortcut(event: KeyboardEvent, key: string): boolean {
  if (event.defaultPrevented || event.altKey || event.shiftKey || event.isComposing) return false;
  return (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === key;
}
