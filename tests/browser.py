"""Control a real browser: headless Chromium over two pipes.

Nothing is installed. The browser is the one in `OCTAVO_BROWSER` or on the path.
"""

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "headless_shell")
MISSING: Final = (
    f"NO BROWSER: the page was not tried. Install one of {', '.join(NAMES)}, or say where by OCTAVO_BROWSER"
)
PATIENCE = 120.0
FLAGS: Final = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"),
    # Otherwise, each document gets its own process and earlier documents stay: a fifth more processor time.
    *("--disable-back-forward-cache", "--process-per-site", "--renderer-process-limit=1"),
    "--disable-features=ProactivelySwapBrowsingInstance,SpareRendererForSitePerProcess",
)
LISTEN: Final = """(() => {
  const ask = window.fetch;
  window.fetch = async (...asked) => {
    const answer = await ask(...asked);
    answer.clone().text().then((text) => heard(`${answer.url} ${text}`), () => undefined);
    return answer;
  };
})()"""
PUT_PIPES: Final = """
import fcntl, os, sys
reads, writes = (fcntl.fcntl(int(number), fcntl.F_DUPFD_CLOEXEC, 10) for number in sys.argv[1:3])
os.dup2(reads, 3)
os.dup2(writes, 4)
os.execvp(sys.argv[3], sys.argv[3:])
"""
"""Replaces itself with the browser, which reads from descriptor 3 and writes to 4."""


def find_browser() -> str | None:
    """Return the command of an installed browser, or None."""
    named = os.environ.get("OCTAVO_BROWSER")
    return named or next(filter(None, map(shutil.which, NAMES)), None)


class Pipes:
    """The pipes on which a browser reads and writes messages."""

    def __init__(self, reading: int, writing: int) -> None:
        self._reading = reading
        self._writing = writing
        self._pending = b""
        self.count = 0

    def write(self, message: dict[str, Any]) -> None:
        """Send a message."""
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._writing, data) :]

    def read(self) -> Any:
        """Wait for the next message."""
        while b"\0" not in self._pending:
            piece = os.read(self._reading, 65536)
            assert piece, "the browser has gone"
            self._pending += piece
        message, self._pending = self._pending.split(b"\0", 1)
        return json.loads(message)

    def close(self) -> None:
        """Close both."""
        os.close(self._reading)
        os.close(self._writing)


class Page:
    """A page. It records errors, requested URLs and, after `listen`, responses to scripts.

    It is the only page of its browser, and starts without cookies, storage and cache.
    """

    def __init__(self, pipes: Pipes) -> None:
        self.asked: list[str] = []
        self.wrong: list[str] = []
        self.heard: list[str] = []
        self._pipes = pipes
        self._session: str | None = None
        self._target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=self._target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **params: Any) -> Any:
        """Send a command to the browser and return its result."""
        self._pipes.count += 1
        message = {"id": self._pipes.count, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        self._pipes.write(message)
        while True:
            reported = self._pipes.read()
            if reported.get("id") == message["id"]:
                assert "error" not in reported, reported
                return reported["result"]
            self._note(reported)

    def do(self, script: str) -> Any:
        """Return the value of an expression. A promise is awaited."""
        reported = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in reported, reported["exceptionDetails"]
        return reported["result"].get("value")

    def wait_for(self, condition: str) -> Any:
        """Return the value of an expression as soon as it is truthy."""
        look = f"() => {{ const found = {condition}; found ? done(found) : setTimeout(look, 20); }}"
        return self.do(f"new Promise((done) => {{ const look = {look}; look(); }})")

    def listen(self) -> None:
        """From the next document on, record the URLs and bodies of responses to scripts. Clears earlier records."""
        self.heard.clear()
        self.send("Runtime.addBinding", name="heard")
        self.send("Page.addScriptToEvaluateOnNewDocument", source=LISTEN)

    def close(self) -> None:
        """Close the page and delete its cookies, storage and cache."""
        self.send("Storage.clearDataForOrigin", origin="*", storageTypes="all")
        self.send("Network.clearBrowserCookies")
        self.send("Network.clearBrowserCache")
        self._session = None
        self.send("Target.closeTarget", targetId=self._target)

    def _note(self, event: dict[str, Any]) -> None:
        params = event.get("params", {})
        if event.get("sessionId") != self._session:  # from an earlier page
            return
        match event.get("method"):
            case "Page.javascriptDialogOpening":  # confirms that the page may be left
                answer = {"id": 0, "method": "Page.handleJavaScriptDialog", "params": {"accept": True}}
                self._pipes.write(answer | {"sessionId": self._session})
            case "Network.requestWillBeSent":
                self.asked.append(params["request"]["url"])
            case "Runtime.bindingCalled":
                self.heard.append(params["payload"])
            case "Runtime.exceptionThrown":
                self.wrong.append(json.dumps(params["exceptionDetails"]))
            case "Log.entryAdded" if params["entry"]["level"] == "error":
                self.wrong.append(params["entry"]["text"] + " " + params["entry"].get("url", ""))
            case "Runtime.consoleAPICalled" if params["type"] == "error":
                self.wrong.append(json.dumps(params["args"]))


class Browser:
    """A browser with its profile in a folder. It starts when a page is opened, and again if it has ended."""

    def __init__(self, command: str, folder: Path) -> None:
        self._command = command
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self._pipes: Pipes | None = None

    @contextmanager
    def open_page(self, patience: float = PATIENCE) -> Iterator[Page]:
        """Open the only page. The browser is killed after `patience` seconds."""
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._start()
        assert self._process is not None
        assert self._pipes is not None
        watchdog = threading.Timer(patience, self._process.kill)
        watchdog.start()
        try:
            page = Page(self._pipes)
            yield page
            page.close()
        except BaseException:
            self.close()  # a message may be incomplete
            raise
        finally:
            watchdog.cancel()

    def _start(self) -> None:
        (child_reads, writing), (reading, child_writes) = os.pipe(), os.pipe()
        options = ("--remote-debugging-pipe", f"--user-data-dir={self._folder}", "--window-size=1400,900")
        self._process = subprocess.Popen(
            [sys.executable, "-c", PUT_PIPES, str(child_reads), str(child_writes), self._command, *FLAGS, *options],
            pass_fds=(child_reads, child_writes),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(child_reads)
        os.close(child_writes)
        self._pipes = Pipes(reading, writing)

    def close(self) -> None:
        """Kill the browser."""
        if self._process is not None and self._pipes is not None:
            self._process.kill()
            self._process.wait()
            self._pipes.close()
        self._process = self._pipes = None


@contextmanager
def open_page(command: str, folder: Path, patience: float = PATIENCE) -> Iterator[Page]:
    """Open a page in a new browser with its profile in a folder. The browser is killed after `patience` seconds."""
    browser = Browser(command, folder)
    try:
        with browser.open_page(patience) as page:
            yield page
    finally:
        browser.close()
