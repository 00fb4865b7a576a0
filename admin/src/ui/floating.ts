/** Position elements in the browser's top layer: above dialogs, and not clipped by their containers. */
import { untrack } from 'svelte';
import type { Attachment } from 'svelte/attachments';
import { on } from 'svelte/events';

/** Distances and heights in pixels. */
const GAP = 4;
const EDGE = 8;
const ENOUGH = 240;

/** Keep a `popover` at a position with its width: below it, or above if there is more space. */
export function floating(place: () => DOMRect): Attachment<HTMLElement> {
  return (node) => {
    const keep = (): void => untrack(() => put(node, place()));
    node.showPopover();
    keep();
    const scrolled = on(window, 'scroll', keep, { capture: true, passive: true });
    const resized = on(window, 'resize', keep);
    return () => (scrolled(), resized());
  };
}

function put(node: HTMLElement, place: DOMRect): void {
  const { clientWidth, clientHeight } = document.documentElement;
  const below = clientHeight - place.bottom - GAP - EDGE;
  const above = place.top - GAP - EDGE;
  const isBelow = below >= Math.min(above, ENOUGH);
  const { style } = node;
  style.minWidth = `${Math.min(place.width, clientWidth - 2 * EDGE)}px`;
  style.setProperty('--room', `${Math.max(isBelow ? below : above, 0)}px`);
  style.top = isBelow ? `${place.bottom + GAP}px` : 'auto';
  style.bottom = isBelow ? 'auto' : `${clientHeight - place.top + GAP}px`;
  const isMirrored = getComputedStyle(node).direction === 'rtl';
  const wanted = isMirrored ? place.right - node.offsetWidth : place.left;
  style.left = `${Math.max(EDGE, Math.min(wanted, clientWidth - node.offsetWidth - EDGE))}px`;
}
