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
FLAGS: Final = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run")
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


class Page:
    """A page. It records errors, requested URLs and, after `listen`, responses to scripts."""

    def __init__(self, reading: int, writing: int) -> None:
        self.asked: list[str] = []
        self.wrong: list[str] = []
        self.heard: list[str] = []
        self._reading = reading
        self._writing = writing
        self._pending = b""
        self._count = 0
        self._session: str | None = None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **params: Any) -> Any:
        """Send a command to the browser and return its result."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        self._write(message)
        while True:
            reported = self._read()
            if reported.get("id") == self._count:
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
        """Close both pipes."""
        os.close(self._reading)
        os.close(self._writing)

    def _write(self, message: dict[str, Any]) -> None:
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._writing, data) :]

    def _read(self) -> Any:
        while b"\0" not in self._pending:
            piece = os.read(self._reading, 65536)
            assert piece, "the browser has gone"
            self._pending += piece
        message, self._pending = self._pending.split(b"\0", 1)
        return json.loads(message)

    def _note(self, event: dict[str, Any]) -> None:
        params = event.get("params", {})
        match event.get("method"):
            case "Page.javascriptDialogOpening":  # confirms that the page may be left
                answer = {"id": 0, "method": "Page.handleJavaScriptDialog", "params": {"accept": True}}
                self._write(answer | {"sessionId": self._session})
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


@contextmanager
def open_page(browser: str, folder: Path, patience: float = PATIENCE) -> Iterator[Page]:
    """Open a page in a new browser with its profile in a folder. The browser is killed after `patience` seconds."""
    (child_reads, writing), (reading, child_writes) = os.pipe(), os.pipe()
    command = [browser, *FLAGS, "--remote-debugging-pipe", f"--user-data-dir={folder}", "--window-size=1400,900"]
    process = subprocess.Popen(
        [sys.executable, "-c", PUT_PIPES, str(child_reads), str(child_writes), *command],
        pass_fds=(child_reads, child_writes),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(child_reads)
    os.close(child_writes)
    watchdog = threading.Timer(patience, process.kill)
    watchdog.start()
    page = Page(reading, writing)
    try:
        yield page
    finally:
        watchdog.cancel()
        process.kill()
        process.wait()
        page.close()
