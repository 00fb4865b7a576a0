/** Keyboard shortcuts of whole pages. Editors and controls come first: a key that one of them has handled is theirs. */
export function isShortcut(event: KeyboardEvent, key: string): boolean {
  if (event.defaultPrevented || event.altKey || event.shiftKey || event.isComposing) return false;
  return (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === key;
}

/** Whether a key writes a text, or chooses an option by its first letter. */
export function isTyping(event: KeyboardEvent): boolean {
  return event.target instanceof Element && event.target.closest('input, textarea, select, [contenteditable]') !== null;
}
