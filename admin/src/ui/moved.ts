/** Take an item of a list to another place. The items themselves stay what they are. */
export function moved<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const found = [...items];
  found.splice(to, 0, ...found.splice(from, 1));
  return found;
}
