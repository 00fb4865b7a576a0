/** Readable names of attributes without a label. */

/** Abbreviations that are written in capitals. */
const CAPITALS: ReadonlySet<string> = new Set(['api', 'css', 'html', 'id', 'json', 'pdf', 'seo', 'sku', 'uid', 'url', 'uuid', 'vat']);

/** `readingMinutes` is "Reading minutes"; `seo_url` is "SEO URL". */
export function readableName(name: string): string {
  const words = name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[\s_-]+/)
    .filter(Boolean)
    .map((word, index) => {
      const lower = word.toLowerCase();
      if (CAPITALS.has(lower)) return lower.toUpperCase();
      if (word.length > 1 && word === word.toUpperCase()) return word;
      return index ? lower : lower.charAt(0).toUpperCase() + lower.slice(1);
    });
  return words.join(' ') || name;
}

/** Return the steps of a path from the service: `blocks[0].title` is `blocks`, 0, `title`. */
export function stepsOf(path: string): (string | number)[] {
  return path
    .split(/[.[\]]+/)
    .filter(Boolean)
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

/** `blocks[0].metaTitle` is "Blocks 1 › Meta title". */
export function readablePath(path: string): string {
  return joined(stepsOf(path).map((step) => (typeof step === 'number' ? step : readableName(step))));
}

/** Join names; indexes are counted from one. */
export function joined(steps: readonly (string | number)[]): string {
  let text = '';
  for (const step of steps) {
    if (typeof step === 'number') text += ` ${step + 1}`;
    else text += text ? ` › ${step}` : step;
  }
  return text.trim();
}
