/**
 * Map arrow keys to the reading direction: the key that points forward is `ArrowRight`, also in right-to-left pages.
 */
const TURNED: Readonly<Record<string, string>> = { ArrowLeft: 'ArrowRight', ArrowRight: 'ArrowLeft' };

export function readKey({ key }: KeyboardEvent): string {
  return document.documentElement.dir === 'rtl' ? (TURNED[key] ?? key) : key;
}
