/** Names that are made of names for people, as v4's form makes them. */
export function kebab(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[-0-9]+|-+$/g, '');
}

/** The English plural, by rule; people can write another. */
export function plural(word: string): string {
  if (!word) return '';
  if (/(s|x|z|ch|sh)$/.test(word)) return `${word}es`;
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return `${word}s`;
}

/** `featured-article` as the name of an attribute. */
export const camel = (text: string): string => text.replace(/[-_]+(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Names that share a column are taken for the same. */
export const snake = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();

export const ATTRIBUTE_NAME = /^[A-Za-z][_0-9A-Za-z]*$/;
