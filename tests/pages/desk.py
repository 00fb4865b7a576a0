"""A user of the admin pages in a real browser: common actions, and checks for errors and accessibility."""

import base64
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.request import Request, urlopen

from tests.browser import Page
from tests.cli.processes import ROOT
from tests.models.pictures import picture
from tests.panel.editor import Editor

AXE: Final = ROOT / "admin/node_modules/axe-core/axe.min.js"
"""Exists only where the pages were built; without it, accessibility is not checked."""
_REFUSED: Final = re.compile(r"the server responded with a status of 4\d\d")
"""Expected errors in the browser's console: no session, or invalid input."""

_CONTROLS: Final = {
    *("button", "link", "textbox", "searchbox", "combobox", "listbox", "checkbox", "radio", "switch", "slider"),
    *("spinbutton", "tab", "menu", "menuitem", "menuitemradio", "menuitemcheckbox", "option", "dialog", "alertdialog"),
    *("image", "table", "navigation", "tree", "treeitem"),
}
"""Roles of elements that need an accessible name."""


@dataclass(frozen=True, slots=True)
class Person:
    """A user's credentials."""

    email: str
    password: str


ADA: Final = Person("ada@example.org", "Passw0rd-of-Ada")


class Desk(Editor):
    """An editor on the admin pages."""

    def __init__(self, page: Page, base: str, pictures: Path | None = None) -> None:
        super().__init__(page, base, pictures)
        self.page = page
        self.base = base
        self.pictures = pictures or Path()
        self.is_unjudged = False
        """Whether accessibility should have been checked, but axe was missing."""
        self.others: tuple[str, ...] = ()
        """Origins of other services that the pages can request."""
        self._logged_in: Person | None = None
        self._tokens: dict[Person, str] = {}

    def log_in(self, person: Person) -> None:
        """Sign in from any page."""
        self._logged_in = person
        self.page.send("Network.clearBrowserCookies")
        self.open("/admin/auth/login")
        self.fill("Email", person.email)
        self.fill("Password", person.password)
        self.click("Sign in")
        self.see("Next steps")

    def tidy(self) -> None:
        """Restore Ada's session, a wide window and the light theme for the next test."""
        self.size(1400)
        self.theme("light")
        if self._logged_in not in (None, ADA):
            self.log_in(ADA)

    def speak(self, language: str) -> None:
        """Choose the language of the pages, which the browser stores."""
        self.open("/admin/auth/login")
        self.page.do(f"(localStorage.setItem('octavo.language', {json.dumps(language)}), 0)")

    def token(self, person: Person = ADA) -> str:
        """Return an API token for a user. Sign-ins are rate limited, so it is reused."""
        if person not in self._tokens:
            answer = self.ask("POST", "/admin/login", {"email": person.email, "password": person.password}, token="")
            self._tokens[person] = str(answer["data"]["token"])
        return self._tokens[person]

    def ask(self, method: str, path: str, body: Any = None, token: str | None = None) -> Any:
        """Send a request as Ada, or with another token, and return the JSON of the response."""
        headers = {"Content-Type": "application/json"}
        if token != "":
            headers["Authorization"] = f"Bearer {self.token() if token is None else token}"
        data = None if body is None else json.dumps(body).encode()
        with urlopen(Request(self.base + path, data, headers, method=method), timeout=60) as answer:
            return json.loads(answer.read() or b"null")

    def hire(self, person: Person, *roles: int) -> int:
        """Create an administrator with these roles and return their id."""
        name = person.email.partition("@")[0].title()
        reported = self.ask("POST", "/admin/users", {"firstname": name, "email": person.email, "roles": list(roles)})[
            "data"
        ]
        info = {"firstname": name, "password": person.password}
        self.ask(
            "POST", "/admin/register", {"registrationToken": reported["registrationToken"], "userInfo": info}, token=""
        )
        return int(reported["id"])

    def pick(self, label: str, option: str) -> None:
        """Choose an option in a native `select`."""
        self.until(
            f"""((list) => {{
              const found = [...(list?.options ?? [])].find((one) => one.text.trim() === {json.dumps(option)});
              if (!found) return false;
              list.value = found.value;
              return list.dispatchEvent(new Event('change', {{bubbles: true}}));
            }})(__look.labelled({json.dumps(label)}))""",
            f"{option} of {label}",
        )

    def give(self, selector: str, name: str) -> None:
        """Put a small image into a file input, as a user does."""
        data = base64.b64encode(picture("PNG", 64, 48)).decode()
        self.until(
            f"""((input) => {{
              if (!input) return false;
              const bytes = Uint8Array.from(atob('{data}'), (one) => one.charCodeAt(0));
              const given = new DataTransfer();
              given.items.add(new File([bytes], {json.dumps(name)}, {{type: 'image/png'}}));
              input.files = given.files;
              return input.dispatchEvent(new Event('change', {{bubbles: true}}));
            }})(document.querySelector({json.dumps(selector)}))""",
            selector,
        )

    def drag(self, found: str, onto: str) -> None:
        """Drag the first match of a CSS selector onto another element."""
        places = (
            "(() => {{ const box = document.querySelector({}).getBoundingClientRect();"
            " return [box.x + box.width / 2, box.y + box.height / 2] }})()"
        )
        self.until(f"document.querySelector({json.dumps(found)})", found)
        self.do(f"document.querySelector({json.dumps(found)}).scrollIntoView({{block: 'center'}})")
        x, y = self.do(places.format(json.dumps(found)))
        held = {"button": "left", "buttons": 1}
        self.page.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.page.send("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, clickCount=1, **held)
        self.page.send("Input.dispatchMouseEvent", type="mouseMoved", x=x + 8, y=y + 8, **held)
        self.until("document.querySelector('#dnd-action-dragged-el')", "what is dragged")
        zone = f"document.querySelector({json.dumps(onto)})?.closest('ul, [data-zone]')"
        self.do(f"(window.__zone = {zone}, 1)")
        x, y = self.do(places.format(json.dumps(onto)))
        self.page.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y, **held)
        self.until("window.__zone.querySelector('[data-is-dnd-shadow-item-internal]')", "its place there")
        self.page.send("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, button="left", clickCount=1)
        self.until("!document.querySelector('#dnd-action-dragged-el')", "what was dragged in its place")

    def size(self, width: int, height: int = 900) -> None:
        """Set the window's size."""
        self.page.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )

    def theme(self, name: str) -> None:
        """Set the system's color scheme, `light` or `dark`."""
        self.page.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def settle(self) -> None:
        """Wait until images and fonts are loaded and all animations have ended."""
        self.until("[...document.images].every((one) => one.complete || one.loading === 'lazy')", "all pictures")
        self.page.do(
            "document.fonts.ready"
            ".then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))"
            ".then(() => Promise.allSettled(document.getAnimations()"
            ".filter((it) => it.effect.getTiming().iterations !== Infinity).map((it) => it.finished))).then(() => 0)"
        )

    def nameless(self) -> list[str]:
        """Return the roles of controls that have no name in the accessibility tree."""
        nodes = self.page.send("Accessibility.getFullAXTree")["nodes"]
        found = [node for node in nodes if not node["ignored"] and node["role"].get("value") in _CONTROLS]
        return [node["role"]["value"] for node in found if not node.get("name", {}).get("value", "").strip()]

    def complaints(self) -> list[str]:
        """Return the browser's errors since the last call, and requested URLs of other hosts."""
        wrong = [text for text in self.page.wrong if not _REFUSED.search(text)]
        allowed = (self.base, *self.others, "data:", "blob:", "about:")
        others = [url for url in self.page.asked if not url.startswith(allowed)]
        self.page.wrong.clear()
        self.page.asked.clear()
        return wrong + others

    def barriers(self) -> list[str]:
        """Return axe's violations of WCAG 2.2 AA and of its own best practices. Without axe, return none; the test is
        then reported as skipped at its end.
        """
        if not AXE.is_file():
            self.is_unjudged = True
            return []
        self.page.do(AXE.read_text(encoding="utf-8") + "; 0")
        found = self.page.do(
            "axe.run(document, {resultTypes: ['violations']}).then((found) => found.violations.flatMap((rule) => "
            "rule.nodes.map((node) => `${rule.id}: ${node.target.join(' ')}: ${node.failureSummary}`)))"
        )
        return list(found)

    def overflows(self) -> bool:
        """Return whether the page is wider than its window."""
        return bool(self.page.do("document.documentElement.scrollWidth > document.documentElement.clientWidth"))
