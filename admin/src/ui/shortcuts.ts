/** Keyboard shortcuts of pages. Editors and controls come first: keys that they have handled are ignored. */
export function isShortcut(event: KeyboardEvent, key: string): boolean {
  if (event.defaultPrevented || event.altKey || event.shiftKey || event.isComposing) return false;
  return (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === key;
}

/** Return whether a key types text, or selects an option by its first letter. */
export function isTyping(event: KeyboardEvent): boolean {
  return event.target instanceof Element && event.target.closest('input, textarea, select, [contenteditable]') !== null;
}
