/** Keys for items of lists: an item keeps its own for as long as the form lasts, wherever it is moved. */
const keys = new WeakMap<object, number>();
let count = 0;

export function keyOf(item: object): number {
  let key = keys.get(item);
  if (key === undefined) keys.set(item, (key = ++count));
  return key;
}
