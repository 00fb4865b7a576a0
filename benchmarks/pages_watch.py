"""Measure an action in a browser: the time until it is painted, the main thread, and the network."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urljoin

from tests.browser import Page
from tests.panel.editor import Unseen

_STOPWATCH: Final = """
window.__painted = (isThere) => new Promise((done) => {
  const end = performance.now() + 20000;
  const look = () => {
    let found = false;
    try { found = isThere(); } catch { /* not yet */ }
    if (found) setTimeout(() => done(performance.now()));
    else if (performance.now() > end) done(0);
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
});
"""
"""Checks a condition before each frame is painted, and reports the time after the frame that shows it."""


@dataclass(frozen=True, slots=True)
class Taken:
    """The cost of an action in milliseconds: until it is painted, and of the main thread (script, style, layout, all);
    then requests over the network, and their kB as transferred.
    """

    painted: float
    thread: float
    script: float
    requests: int
    kilobytes: float


class Watch:
    """A stopwatch for a page. `base` is the URL of its service."""

    def __init__(self, page: Page, base: str) -> None:
        self._page = page
        self._base = base
        page.send("Performance.setTimeDomain", timeDomain="threadTicks")
        page.send("Performance.enable")
        page.send("Page.addScriptToEvaluateOnNewDocument", source=_STOPWATCH)

    def opening(self, path: str, there: str, *, cold: bool = False) -> Taken:
        """Measure from opening a URL, as from a bookmark, until a condition is painted. `cold`: nothing is cached."""
        self.leave()
        if cold:
            self._page.send("Network.clearBrowserCache")
        before = self._spent()
        self._page.send("Page.navigate", url=urljoin(self._base, path))
        painted = self._until(there)
        requests, size = self._sent(0)
        return self._taken(painted, before, requests, size)

    def following(self, action: Callable[[], None], event: str, there: str) -> Taken:
        """Measure from an event that an action causes until a condition is painted."""
        note = "(one) => { window.__began = one.timeStamp; }"
        self._page.do(f"addEventListener('{event}', {note}, {{capture: true, once: true}})")
        asked = self._page.do("performance.getEntriesByType('resource').length")
        before = self._spent()
        action()
        painted = self._until(there) - float(self._page.do("window.__began"))
        requests, size = self._sent(int(asked))
        return self._taken(painted, before, requests, size)

    def leave(self) -> None:
        """Go to an empty page in the same process of the browser."""
        self._page.send("Page.navigate", url=urljoin(self._base, "/admin/icon.svg"))
        self._page.wait_for("document.readyState === 'complete' && location.pathname.endsWith('.svg')")

    def thread(self) -> float:
        """Return the milliseconds of processor time of the main thread."""
        return self._spent()[0]

    def server(self, path: str) -> float:
        """Return the milliseconds from the last request whose URL ends so until its response began."""
        return float(
            self._page.do(
                "((one) => one.responseStart - one.requestStart)(performance.getEntriesByType('resource')"
                f".findLast((one) => one.name.endsWith('{path}')))"
            )
        )

    def _until(self, there: str) -> float:
        """Wait for a condition. A page that is left drops its promises, so the condition is evaluated again."""
        for _ in range(10):
            with suppress(AssertionError):
                found = float(self._page.do(f"window.__painted(() => {there})"))
                if found:
                    return found
                break
        raise Unseen(there)

    def _spent(self) -> tuple[float, float]:
        told: list[dict[str, Any]] = self._page.send("Performance.getMetrics")["metrics"]
        found = {one["name"]: one["value"] * 1000 for one in told}
        return found["TaskDuration"], found["ScriptDuration"]

    def _sent(self, first: int) -> tuple[int, float]:
        """Return the requests after the `first` ones and their kB, without responses from the browser's cache.

        Thumbnails are left out: they load when the list is already visible.
        """
        kinds = "['resource']" if first else "['navigation', 'resource']"
        sizes = self._page.do(
            f"{kinds}.flatMap((kind) => performance.getEntriesByType(kind)).slice({first})"
            ".filter((one) => one.initiatorType !== 'img').map((one) => one.transferSize).filter((size) => size > 0)"
        )
        return len(sizes), sum(sizes) / 1000

    def _taken(self, painted: float, before: tuple[float, float], requests: int, size: float) -> Taken:
        thread, script = (now - then for now, then in zip(self._spent(), before, strict=True))
        return Taken(painted, thread, script, requests, size)
