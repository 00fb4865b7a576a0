/** Alignment of two localizations: each field starts at the height of its counterpart, as far as the layout allows. */

/** Attach to the fields beside the form, whose paths start with `prefix`. */
export const aligned = (prefix: string) => (node: HTMLElement) => {
  const align = (): void => {
    const pairs = [...node.querySelectorAll<HTMLElement>('[data-path]')].flatMap((field) => {
      const name = field.dataset.path!.slice(prefix.length);
      const other = name.includes('.') ? null : document.querySelector<HTMLElement>(`[data-path="${CSS.escape(name)}"]`);
      return other ? [{ field, other }] : [];
    });
    for (const { field } of pairs) field.style.marginTop = '';
    const isBeside = pairs[0] !== undefined && pairs[0].other.offsetParent !== null && pairs[0].other.getBoundingClientRect().left !== pairs[0].field.getBoundingClientRect().left;
    if (!isBeside) return;
    const tops = pairs.map(({ field, other }) => ({ top: field.getBoundingClientRect().top, wanted: other.getBoundingClientRect().top }));
    let [row, before, added] = [NaN, 0, 0]; // margins that the rows above have added, and this row
    pairs.forEach(({ field }, index) => {
      const { top, wanted } = tops[index]!;
      if (top !== row) [row, before, added] = [top, before + added, 0];
      const missing = Math.max(wanted - top - before, 0);
      added = Math.max(added, missing);
      if (missing) field.style.marginTop = `${missing}px`;
    });
  };
  const observer = new ResizeObserver(align);
  observer.observe(node);
  for (const other of node.closest('.two')?.children ?? []) observer.observe(other);
  return () => observer.disconnect();
};
