"""Follow a page of the docs: run its commands, write its files and send its requests.

Shell blocks are run: `octavo`, `python` and `pytest` in the project's folder, `curl` against the running service. A
block that begins with a file name is that file. JSON after a request is the expected response, or a part of it.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

from PIL import Image

from tests.cli.processes import ROOT, Server, serving

ADDRESS = "http://127.0.0.1:1337"
PATIENCE = 60
"""Seconds within which `octavo develop` must apply changes."""
REFUSED = (401, 403, 404)
"""Statuses of requests without effect: the running service may not know a new permission or route yet."""


class Reader:
    """Follow a page in a folder; `project` is the project that it creates or uses."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder = folder
        self.project = folder / "conference"
        self.stack = stack
        self.server: Server | None = None
        self.variables: dict[str, str] = {}
        self.answer: Any = None
        self.request: Request | None = None

    def follow(self, page: Path) -> None:
        """Execute the blocks of a page in order."""
        for language, text in blocks(page):
            named = re.match(r"(?:#|//) ([\w./-]+\.(?:py|toml|json|csv))\n", text)
            if named:
                bare = named[1].endswith((".json", ".csv"))
                self.write(named[1], text.removeprefix(named[0]) if bare else text)
            elif language == "sh":
                for line in text.replace("\\\n", " ").splitlines():
                    self.command(line)
            elif language == "json":
                self.expect(json.loads(text))

    def command(self, line: str) -> None:
        """Run a line of shell: `octavo`, `curl`, `python` or `pytest`, or `NAME=$(...)` around one of them."""
        assigned = re.fullmatch(r"(\w+)=\$\((.*?) \| (?:tail -n 1|jq -r \.(\w+))\)", line)
        words = shlex.split(assigned[2] if assigned else line)
        printed = ""
        if words[0] == "cd":
            assert (self.folder / words[1]).is_dir()
        elif words[0] == "export":
            assert words[1] in self.variables
        elif words[0] == "curl":
            self.request = self.request_of(words[1:])
            self.answer = self.send()
        elif words[0] == "python":
            printed = self.run(words[1:])
        elif words[0] == "pytest":
            printed = self.run(["-m", *words, "-p", "no:cacheprovider"])
        elif words[1] == "develop":
            self.server = self.stack.enter_context(serving("develop", self.project))
        else:
            assert words[0] == "octavo"
            printed = self.octavo(words[1:])
        if assigned:
            self.variables[assigned[1]] = self.answer[assigned[3]] if assigned[3] else printed.splitlines()[-1]

    def octavo(self, words: list[str]) -> str:
        """Run a command of Octavo and return its output. An import stops the service first."""
        if words[0] == "import" and self.server is not None:
            self.server.stop()
        printed = self.run(["-m", "octavo", *map(self.expand, words)], self.folder if words[0] == "new" else None)
        if words[0] == "generate" and self.server is not None:
            self.server.hear_of("Reloaded")
        return printed

    def run(self, arguments: list[str], folder: Path | None = None) -> str:
        """Run Python in a folder, by default the project's, with the page's variables, and return its output."""
        address = {} if self.server is None else {"API_URL": f"http://127.0.0.1:{self.server.port}"}
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=folder or self.project,
            env={**os.environ, **self.variables, **address, "PYTHONPATH": str(ROOT / "src")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def expand(self, text: str) -> str:
        """Return a text with its variables replaced, as a shell does in double quotes."""
        return re.sub(r"\$([A-Z_]+)", lambda name: self.variables[name[1]], text)

    def request_of(self, words: list[str]) -> Request:
        """Return the request that curl would send."""
        assert self.server is not None
        headers: dict[str, str] = {}
        form: list[tuple[str, str]] = []
        method, url, data = "", "", None
        given = iter(words)
        for word in given:
            match word:
                case "-X":
                    method = next(given)
                case "-H":
                    name, _, value = next(given).partition(": ")
                    headers[name] = self.expand(value)
                case "-d":
                    data = next(given).encode()
                case "-F":
                    name, _, value = next(given).partition("=")
                    form.append((name, value))
                case "-g" | "-s":
                    pass
                case _:
                    assert word.startswith(ADDRESS)
                    url = word.replace(ADDRESS, f"http://127.0.0.1:{self.server.port}")
        if form:
            data, headers["Content-Type"] = multipart(form)
        return Request(quote(url, safe=":/?&=[]$%"), data, headers, method=method or ("POST" if data else "GET"))

    def send(self) -> Any:
        """Return the response. Wait if the service restarts for new settings."""
        assert self.request is not None
        assert self.server is not None
        self.server.wait()
        try:
            with urlopen(self.request) as answer:
                return json.load(answer)
        except HTTPError as error:
            return json.load(error)

    def expect(self, shown: Any) -> None:
        """Check the last response. Repeat a request without effect until the service has applied the changes."""
        assert self.request is not None
        end = time.monotonic() + PATIENCE
        while not holds(self.answer, shown) and self.repeatable and time.monotonic() < end:
            time.sleep(0.1)
            self.answer = self.send()
        assert holds(self.answer, shown), (self.request.full_url, self.answer, shown)

    @property
    def repeatable(self) -> bool:
        """Return whether the last request had no effect."""
        assert self.request is not None
        error = self.answer.get("error") if isinstance(self.answer, Mapping) else None
        return self.request.method == "GET" or (error is not None and error["status"] in REFUSED)

    def write(self, name: str, text: str) -> None:
        """Write a file, and wait until the service has noticed it."""
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if self.server is not None and name.startswith("src/"):
            self.server.hear_of("Reloaded")


def multipart(fields: list[tuple[str, str]]) -> tuple[bytes, str]:
    """Return the body of a form with a picture for each file, and its content type."""
    picture = BytesIO()
    Image.new("RGB", (900, 600), "teal").save(picture, "PNG")
    parts = []
    for name, value in fields:
        is_file = value.startswith("@")
        file = f'; filename="{value[1:]}"\r\nContent-Type: image/png' if is_file else ""
        content = picture.getvalue() if is_file else value.encode()
        parts.append(f'--x\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'.encode() + content + b"\r\n")
    return b"".join(parts) + b"--x--\r\n", "multipart/form-data; boundary=x"


def holds(answer: Any, shown: Any) -> bool:
    """Return whether a response contains everything that a page shows."""
    if isinstance(shown, Mapping):
        return isinstance(answer, Mapping) and all(holds(answer.get(key), one) for key, one in shown.items())
    if isinstance(shown, list):
        return isinstance(answer, list) and len(answer) == len(shown) and all(map(holds, answer, shown))
    return bool(answer == shown)


def blocks(page: Path) -> Iterator[tuple[str, str]]:
    yield from re.findall(r"^```(\w+)\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
