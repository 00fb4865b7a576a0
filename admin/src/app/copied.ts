/** The storage key of the component that an administrator has copied. Signing out removes it. */
export const copiedKey = (user: number | string): string => `octavo.component.${user}`;

export function forgetCopied(user: number | string): void {
  try {
    localStorage.removeItem(copiedKey(user));
  } catch {
    // The browser has no storage.
  }
}
