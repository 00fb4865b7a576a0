/** Return the list with an item moved to another index. The items themselves stay the same objects. */
export function moved<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const found = [...items];
  found.splice(to, 0, ...found.splice(from, 1));
  return found;
}
