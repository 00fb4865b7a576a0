"""An editor in a real browser: finds elements by their visible texts and labels, clicks and types like a user."""

import base64
import json
import time
from pathlib import Path
from typing import Any, Final

from tests.browser import Page

LOOK: Final = """
(() => {
  const visible = (node) => {
    const box = node.getBoundingClientRect();
    const style = getComputedStyle(node);
    return box.width > 0 && box.height > 0 && style.visibility !== 'hidden' && style.display !== 'none';
  };
  const said = (node) => (node.getAttribute('aria-label') || node.innerText || node.value || '').trim();
  const all = (selector, root) => [...(root || document).querySelectorAll(selector)].filter(visible);
  const labelled = (text) => {
    for (const label of all('label')) {
      const words = label.innerText.replace(/\\*$/, '').trim();
      if (words === text || words.startsWith(text + '\\n')) {
        const inside = label.querySelector('input,select,textarea,button');
        const found = label.htmlFor ? document.getElementById(label.htmlFor) : inside;
        if (found) return found;
      }
    }
    return all('input,select,textarea,[role=combobox],[contenteditable]').find((node) =>
      [node.getAttribute('aria-label'), node.getAttribute('placeholder'), node.name].includes(text));
  };
  const roles = ['button', 'option', 'tab', 'menuitem', 'checkbox', 'row'].map((role) => `[role=${role}]`);
  const clickable = ['a', 'button', 'label', 'summary', 'td', 'input[type=checkbox]', ...roles].join(',');
  const button = (text, exact, within) => {
    const named = (node) => exact ? said(node) === text : said(node).includes(text);
    const found = all(within ? `${within} :is(${clickable})` : clickable).filter(named);
    const isInner = (node) => !found.some((one) => one !== node && node.contains(one) && said(one) === said(node));
    return found.filter(isInner).sort((a, b) => said(a).length - said(b).length)[0];
  };
  const belongs = (node, hit) => Boolean(hit) && (node.closest('label') || node).contains(hit);
  let meant = null; // what the next press is for: should it hit something else, because panels move, nothing happens
  for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click']) {
    addEventListener(type, (event) => {
      if (!meant) return;
      if (type === 'pointerdown') meant.isHit = belongs(meant.node, event.target);
      if (!meant.isHit) event.stopImmediatePropagation(), event.preventDefault();
      if (type === 'click') meant.isClicked = meant.isHit && belongs(meant.node, event.target);
    }, true);
  }
  const middle = (node) => {
    const box = node.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const aim = (node) => {
    meant = null;
    if (!node || node.disabled) return null;
    node.scrollIntoView({block: 'center'});
    const at = middle(node);
    if (!belongs(node, document.elementFromPoint(...at))) return null;
    meant = { node, at, isHit: false, isClicked: false };
    return at;
  };
  const hasMissed = () => {
    const [was] = [meant, (meant = null)];
    if (!was || was.isClicked) return false;
    const hasMoved = was.node.isConnected && String(middle(was.node)) !== String(was.at); // from below a held button
    return !was.isHit || hasMoved;
  };
  window.__look = { all, said, labelled, button, aim, hasMissed };
})();
"""
WAIT: Final = 20.0
_KEYS: Final = {
    "Enter": 13,
    "Tab": 9,
    "Escape": 27,
    "Backspace": 8,
    " ": 32,
    "PageUp": 33,
    "PageDown": 34,
    "End": 35,
    "Home": 36,
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
}
_TEXT: Final = "document.body.innerText.replace(/\\s+/g, ' ')"


class Unseen(AssertionError):
    """An expected element or text did not appear."""


class Editor:
    """A user on one page of a panel. `base` is the service's URL."""

    def __init__(self, page: Page, base: str, pictures: Path | None = None) -> None:
        self._page = page
        self._base = base
        self._pictures = pictures

    def open(self, path: str) -> None:
        """Open a URL of the panel."""
        self._page.send("Page.navigate", url=f"{self._base}{path}")
        self.until("document.readyState === 'complete'", path)

    def until(self, condition: str, what: str, seconds: float = WAIT) -> Any:
        """Return the value of a JavaScript expression once it is truthy. Raises Unseen after a timeout."""
        end = time.monotonic() + seconds
        pause = 0.01
        while True:
            found = self.do(f"((found) => found instanceof Node ? true : found)({condition})")
            if found:
                return found
            if time.monotonic() > end:
                raise Unseen(f"{what} is not there; the page says: {self.text()[-700:]!r}")
            time.sleep(pause)
            pause = min(2 * pause, 0.1)  # polling needs CPU time that other processes wait for

    def do(self, script: str) -> Any:
        """Return the value of an expression; None while the page is changing."""
        try:
            return self._page.do(f"(() => {{ if (!window.__look) {{ {LOOK} }} return ({script}); }})()")
        except AssertionError:
            return None

    def text(self) -> str:
        """Return the visible text."""
        return str(self.do(_TEXT) or "")

    def see(self, *texts: str, seconds: float = WAIT) -> None:
        """Wait for texts."""
        for text in texts:
            self.until(f"{_TEXT}.includes({json.dumps(text)})", repr(text), seconds)

    def gone(self, text: str, seconds: float = WAIT) -> None:
        """Wait until a text disappears."""
        self.until(f"!{_TEXT}.includes({json.dumps(text)})", f"a page without {text!r}", seconds)

    def click(self, text: str, *, exact: bool = True, within: str = "", seconds: float = WAIT) -> None:
        """Click the link, button, option, tab or cell with this label, optionally within a selector."""
        self._click(f"__look.button({json.dumps(text)}, {json.dumps(exact)}, {json.dumps(within)})", text, seconds)

    def click_at(self, selector: str, seconds: float = WAIT) -> None:
        """Click the first match of a CSS selector."""
        self._click(f"__look.all({json.dumps(selector)})[0]", selector, seconds)

    def fill(self, label: str, text: str, seconds: float = WAIT) -> None:
        """Replace the value of a field."""
        field = f"__look.labelled({json.dumps(label)})"
        focus = f"(() => {{ const node = {field}; if (!node) return false; node.scrollIntoView({{block: 'center'}}); "
        focus += "node.focus(); node.select && node.select(); return document.activeElement === node; })()"
        self.until(focus, f"the field {label}", seconds)
        if text:
            self._page.send("Input.insertText", text=text)
        else:
            self.press("Backspace")

    def choose(self, label: str, option: str, typed: str = "") -> None:
        """Open a field of options and choose one, after searching for `typed`."""
        self._click(f"__look.labelled({json.dumps(label)})", label, WAIT)
        if typed:
            self._page.send("Input.insertText", text=typed)
        found = f"__look.all('[role=option]').find((node) => __look.said(node).includes({json.dumps(option)}))"
        self._click(found, f"the choice {option}", WAIT)

    def value(self, label: str) -> str:
        """Return the value of a field."""
        return str(
            self.until(f"__look.labelled({json.dumps(label)})", label)
            and self.do(f"__look.labelled({json.dumps(label)}).value")
        )

    def press(self, key: str, *, control: bool = False, shift: bool = False) -> None:
        """Press a key, optionally with modifiers."""
        code = _KEYS.get(key) or ord(key.upper())
        text = {"text": "\r"} if key == "Enter" else {"text": " "} if key == " " else {}
        held = 2 * control + 8 * shift
        named = {"key": key, "code": key if key in _KEYS else f"Key{key.upper()}", "windowsVirtualKeyCode": code}
        for kind in ("keyDown", "keyUp"):
            self._page.send("Input.dispatchKeyEvent", type=kind, modifiers=held, **named, **text)

    def picture(self, name: str) -> None:
        """Save a screenshot."""
        if self._pictures is not None:
            data = self._page.send("Page.captureScreenshot", format="png")["data"]
            (self._pictures / f"{name}.png").write_bytes(base64.b64decode(data))

    def _click(self, found: str, what: str, seconds: float) -> None:
        while True:
            x, y = self.until(f"__look.aim({found})", repr(what), seconds)
            self._page.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
            for kind in ("mousePressed", "mouseReleased"):
                self._page.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
            if not self.do("__look.hasMissed()"):
                return
