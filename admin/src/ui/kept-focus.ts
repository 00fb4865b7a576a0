/**
 * Where the keyboard goes on when what has the focus is taken out of the page, or cannot have it for a while: a button
 * that has become another one, a row that was removed. Browsers begin at the top of the page then.
 */

const FOCUSABLE = ':is(a[href], button, input, select, textarea, [tabindex="0"]):not([tabindex="-1"])';
/** How far around an element its neighbours are counted. */
const LEVELS = 12;

interface Place {
  node: HTMLElement;
  /** What is around it, the nearest first, and which of the controls there it was. */
  around: { parent: HTMLElement; index: number }[];
}
let last: Place | null = null;

const controlsIn = (parent: HTMLElement): HTMLElement[] => [...parent.querySelectorAll<HTMLElement>(FOCUSABLE)];

function placeOf(node: HTMLElement, page: HTMLElement): Place {
  const around: Place['around'] = [];
  for (let parent = node.parentElement; parent && page.contains(parent) && around.length < LEVELS; parent = parent.parentElement) {
    around.push({ parent, index: parent === page ? -1 : controlsIn(parent).indexOf(node) });
  }
  return { node, around };
}

/** What had the focus, or what stands in its place. */
function heirOf({ node, around }: Place): HTMLElement | undefined {
  if (node.isConnected) return node;
  for (const { parent, index } of around) {
    if (!parent.isConnected) continue;
    if (index < 0) return parent;
    const controls = controlsIn(parent);
    if (controls.length) return controls[Math.min(index, controls.length - 1)];
  }
  return undefined;
}

/** Look after the focus in `page`, an element that can have it itself. Gives back how to stop. */
export function keepFocus(page: HTMLElement): () => void {
  const note = ({ target }: FocusEvent): void => {
    if (target instanceof HTMLElement && target !== page && page.contains(target)) last = placeOf(target, page);
  };
  // Who uses a mouse does not look for the focus.
  const forget = (): void => void (last = null);
  const look = new MutationObserver(() => {
    if (!last || document.activeElement !== document.body || document.querySelector('[role=dialog], [role=menu]')) return;
    const heir = heirOf(last);
    if (heir?.matches(':disabled')) return; // until it is no more
    last = null;
    heir?.focus({ preventScroll: heir === page });
  });
  document.addEventListener('focusin', note);
  document.addEventListener('pointerdown', forget, true);
  look.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
  return () => {
    document.removeEventListener('focusin', note);
    document.removeEventListener('pointerdown', forget, true);
    look.disconnect();
  };
}
