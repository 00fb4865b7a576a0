"""A user without a mouse: moves between controls with Tab, and must see the focus."""

import json
from typing import Any, Final

from tests.pages.desk import Desk

HERE: Final = """(() => {
  let node = document.activeElement;
  while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
  if (!node || node === document.body) return { name: '', isSeen: false };
  const labels = [...(node.labels ?? [])].map((one) => one.innerText);
  const named = (node.getAttribute('aria-labelledby') ?? '').split(' ').filter(Boolean);
  const texts = [node.getAttribute('aria-label'), ...named.map((id) => document.getElementById(id)?.innerText)];
  const words = [...texts, ...labels, node.innerText, node.placeholder, node.title].find((text) => text?.trim()) ?? '';
  const box = node.getBoundingClientRect();
  const around = [node, node.parentElement, node.closest('label'), node.getRootNode().host].filter(Boolean);
  const drawn = around.map((one) => getComputedStyle(one));
  const isMarked = ['date', 'time', 'datetime-local'].includes(node.type) // the browser draws where one is in them
    || drawn.some((style) => (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0)
      || style.boxShadow !== 'none');
  const isInside = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
  return { name: words.replace(/[*]$/, '').replace(/\\s+/g, ' ').trim(), isSeen: isMarked && isInside };
})()"""
MOST: Final = 150


def here(desk: Desk) -> dict[str, Any]:
    """Return the name of the focused element, and whether the focus is visible."""
    return dict(desk.do(HERE))


def tab_to(desk: Desk, name: str, *, back: bool = False) -> None:
    """Press Tab until the element with this name has the focus, and check that each stop is visible."""
    desk.settle()
    passed = []
    for _ in range(MOST):
        desk.press("Tab", shift=back)
        found = here(desk)
        passed.append(found["name"][:40])
        assert found["isSeen"] or not found["name"], f"the focus at {found} is not seen"
        if found["name"] == name or (name.endswith("…") and found["name"].startswith(name[:-1])):
            return
    raise AssertionError(f"{name!r} is not reached by Tab, but {passed}")


def type_in(desk: Desk, text: str) -> None:
    """Type into the focused element."""
    desk.page.send("Input.insertText", text=text)


def focused(desk: Desk, name: str) -> None:
    """Wait until the element with this name has the focus."""
    desk.until(f"({HERE}).name === {json.dumps(name)}", f"the focus at {name!r} instead of {here(desk)}")


def inside(desk: Desk, selector: str) -> None:
    """Wait until the focus is inside an element that matches the selector."""
    desk.until(f"document.activeElement?.closest({json.dumps(selector)})", f"the focus in {selector}")
