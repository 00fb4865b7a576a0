/** Announcements for screen readers: items that were moved, found or added. */
export const announced = $state({ text: '' });

/** Announce a text politely, even if it is the same as before. */
export function announce(text: string): void {
  announced.text = announced.text === text ? `${text}\u00a0` : text;
}
