/** Generate names from display names, as v4's form does. */
export function kebab(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[-0-9]+|-+$/g, '');
}

/** Return the English plural by rule; users can change it. */
export function plural(word: string): string {
  if (!word) return '';
  if (/(s|x|z|ch|sh)$/.test(word)) return `${word}es`;
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return `${word}s`;
}

/** Return `featured-article` as the name of an attribute. */
export const camel = (text: string): string => text.replace(/[-_]+(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Return the name of the column: equal columns are equal names. */
export const snake = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();

export const ATTRIBUTE_NAME = /^[A-Za-z][_0-9A-Za-z]*$/;
