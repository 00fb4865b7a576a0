/** Keys of list items. An item keeps its key while the form is open, even if it is moved. */
const keys = new WeakMap<object, number>();
let count = 0;

export function keyOf(item: object): number {
  let key = keys.get(item);
  if (key === undefined) keys.set(item, (key = ++count));
  return key;
}
