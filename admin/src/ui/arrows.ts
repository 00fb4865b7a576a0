/** Keys of arrows as they are read: what points onwards is `ArrowRight`, whichever way the page is written. */
const TURNED: Readonly<Record<string, string>> = { ArrowLeft: 'ArrowRight', ArrowRight: 'ArrowLeft' };

export function readKey({ key }: KeyboardEvent): string {
  return document.documentElement.dir === 'rtl' ? (TURNED[key] ?? key) : key;
}
