"""The tutorial works as it is written: its parts run one after the other, in one project.

Blocks of shell are run: `octavo` in the project's folder, `curl` against the service that part 1 starts. A block that
begins with the name of a file is that file. JSON after a request is the answer, as far as the page shows it.
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
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

from PIL import Image

from tests.cli.processes import ROOT, Server, serving

PARTS = sorted((ROOT / "docs/tutorial").glob("*.md"))
ADDRESS = "http://127.0.0.1:1337"
PATIENCE = 60
"""Seconds in which `octavo develop` has to take up what was changed."""


class Tutorial:
    """A reader who does what the pages say."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder = folder
        self.project = folder / "conference"
        self.stack = stack
        self.server: Server | None = None
        self.token = ""
        self.answer: Any = None
        self.request: Request | None = None

    def command(self, line: str) -> None:
        made = re.fullmatch(r"TOKEN=\$\((octavo .*?) \| tail -n 1\)", line)
        words = shlex.split(made[1] if made else line)
        if words[0] == "cd":
            assert (self.folder / words[1]).is_dir()
        elif words[0] == "curl":
            self.request = self.request_of(words[1:])
            self.answer = self.send()
        elif words[1] == "develop":
            self.server = self.stack.enter_context(serving("develop", self.project))
        else:
            assert words[0] == "octavo"
            said = run_in(self.folder if words[1] == "new" else self.project, words[1:])
            self.token = said.splitlines()[-1] if made else self.token

    def request_of(self, words: list[str]) -> Request:
        """Return what curl would send."""
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
                    headers[name] = value.replace("$TOKEN", self.token)
                case "-d":
                    data = next(given).encode()
                case "-F":
                    name, _, value = next(given).partition("=")
                    form.append((name, value))
                case "-g":
                    pass
                case _:
                    assert word.startswith(ADDRESS)
                    url = word.replace(ADDRESS, f"http://127.0.0.1:{self.server.port}")
        if form:
            data, headers["Content-Type"] = multipart(form)
        return Request(quote(url, safe=":/?&=[]$%"), data, headers, method=method or ("POST" if data else "GET"))

    def send(self) -> Any:
        """Return the answer; a service that restarts for new settings is waited for."""
        assert self.request is not None
        assert self.server is not None
        self.server.wait()
        try:
            with urlopen(self.request) as answer:
                return json.load(answer)
        except HTTPError as error:
            return json.load(error)

    def expect(self, shown: Any) -> None:
        """Check the last answer; a read is repeated until the service has taken up what was changed."""
        assert self.request is not None
        end = time.monotonic() + PATIENCE
        while not holds(self.answer, shown) and self.request.method == "GET" and time.monotonic() < end:
            time.sleep(0.1)
            self.answer = self.send()
        assert holds(self.answer, shown), (self.request.full_url, self.answer, shown)

    def write(self, name: str, text: str) -> None:
        """Write a file, and wait until the service has noticed it."""
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if self.server is not None and name.startswith("src/"):
            self.server.hear_of("Serves what changed")


def run_in(folder: Path, words: list[str]) -> str:
    """Run a command in a folder; what it printed."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "octavo", *words]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def multipart(fields: list[tuple[str, str]]) -> tuple[bytes, str]:
    """Return the body of a form, with a picture for each file, and its type."""
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
    """Whether an answer has all that a page shows."""
    if isinstance(shown, Mapping):
        return isinstance(answer, Mapping) and all(holds(answer.get(key), one) for key, one in shown.items())
    if isinstance(shown, list):
        return isinstance(answer, list) and len(answer) == len(shown) and all(map(holds, answer, shown))
    return bool(answer == shown)


def blocks(page: Path) -> Iterator[tuple[str, str]]:
    yield from re.findall(r"^```(\w+)\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def test_each_part_leads_to_the_next() -> None:
    for part, following in pairwise(PARTS):
        assert f"]({following.name})" in part.read_text("utf-8").splitlines()[-1]
    assert len(PARTS) == 6


def test_the_tutorial(tmp_path: Path) -> None:
    with ExitStack() as stack:
        reader = Tutorial(tmp_path, stack)
        for part in PARTS:
            if part.name.startswith("6"):
                stack.close()
                reader.server = None
            for language, text in blocks(part):
                named = re.match(r"# ([\w./-]+\.(?:py|toml))\n", text)
                if named:
                    reader.write(named[1], text)
                elif language == "sh":
                    for line in text.replace("\\\n", " ").splitlines():
                        reader.command(line)
                elif language == "json":
                    reader.expect(json.loads(text))
