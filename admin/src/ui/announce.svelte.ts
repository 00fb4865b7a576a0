/** What is said to those who do not see the page: things that were moved, found, added. */
export const announced = $state({ text: '' });

/** Say something politely; the same text is said again. */
export function announce(text: string): void {
  announced.text = announced.text === text ? `${text}\u00a0` : text;
}
