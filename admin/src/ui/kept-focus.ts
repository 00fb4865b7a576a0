/**
 * Restore the keyboard focus when the focused element is removed or disabled, for example a replaced button or a
 * deleted row. Browsers would continue at the top of the page.
 */

const FOCUSABLE = ':is(a[href], button, input, select, textarea, [tabindex="0"]):not([tabindex="-1"])';
/** How many levels around an element are searched. */
const LEVELS = 12;

interface Place {
  node: HTMLElement;
  /** The ancestors, nearest first, and the index of the control in each. */
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

/** Return the element that had the focus, or the one in its place. */
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

/** Restore the focus in `page`, an element that can be focused. Returns a function that stops this. */
export function keepFocus(page: HTMLElement): () => void {
  const note = ({ target }: FocusEvent): void => {
    if (target instanceof HTMLElement && target !== page && page.contains(target)) last = placeOf(target, page);
  };
  // After a click, the focus is not restored.
  const forget = (): void => void (last = null);
  const look = new MutationObserver(() => {
    if (!last || document.activeElement !== document.body || document.querySelector('[role=dialog], [role=menu]')) return;
    const heir = heirOf(last);
    if (heir?.matches(':disabled')) return; // wait until it is enabled
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
