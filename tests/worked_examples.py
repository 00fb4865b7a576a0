"""Run examples of documentation pages on the sample magazine: files of a project, requests and responses.

Each section of a page is an example. Its Python and TOML blocks are files, whose first line names them. A GraphQL
block, or HTTP blocks, are the requests. The JSON that follows is the response; over REST it may be a part of it.
"""

import json
import re
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from octavo.content.media.storage.local import LocalStorage
from octavo.content.writer import EntryWriter
from octavo.operations.runtime.open_resources import open_media
from octavo.operations.runtime.options import own_tables
from octavo.operations.runtime.prepare_database import prepare_database
from octavo.operations.runtime.process import Process, build
from octavo.operations.transfer.seed import load_seed
from octavo.settings import Settings, load_settings
from tests.api.http.asgi import call
from tests.models.bookshop import SECRETS

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Example:
    """Files of a project by path, a GraphQL operation, and the `data` of its response if the page shows it."""

    title: str
    files: dict[str, str]
    operation: str
    data: Any


@dataclass(frozen=True)
class Call:
    """A request and the response that a page shows: JSON, a text, or None."""

    method: str
    target: str
    headers: list[tuple[str, str]]
    body: bytes
    shown: Any = None


@dataclass(frozen=True)
class RestExample:
    """Files of a project by path, and requests with their responses."""

    title: str
    files: dict[str, str]
    calls: list[Call]


Block = tuple[str, str]


def read_examples(name: str) -> list[Example]:
    """Return the GraphQL examples of a page, one for each section with an operation."""
    examples = []
    for title, files, blocks in _sections(name):
        operations = [text for kind, text in blocks if kind == "graphql"]
        if operations:
            [operation] = operations
            answers = [json.loads(text) for kind, text in blocks if kind == "json"]
            examples.append(Example(title, files, operation, answers[0] if answers else None))
    return examples


def read_rest_examples(name: str) -> list[RestExample]:
    """Return the REST examples of a page."""
    examples = ((title, files, list(_calls(blocks))) for title, files, blocks in _sections(name))
    return [RestExample(title, files, calls) for title, files, calls in examples if calls]


def _sections(name: str) -> Iterator[tuple[str, dict[str, str], list[Block]]]:
    """Return title, files and blocks of the sections with files. Each needs a request."""
    page = (ROOT / "docs" / name).read_text(encoding="utf-8")
    for section in re.split(r"^(?=## )", page, flags=re.MULTILINE):
        blocks = re.findall(r"^```(\w+)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
        sources = [text for kind, text in blocks if kind in ("python", "toml")]
        files = {text.split("\n", 1)[0].removeprefix("# "): text for text in sources}
        title = section.split("\n", 1)[0].lstrip("# ")
        assert not files or {"graphql", "http"} & {kind for kind, _ in blocks}, f"{name}: {title}: nothing is asked"
        if files:
            yield title, files, blocks


def _calls(blocks: list[Block]) -> Iterator[Call]:
    """Return the requests among blocks, each with the block that follows it."""
    for number, (kind, text) in enumerate(blocks):
        if kind == "http":
            after = blocks[number + 1] if number + 1 < len(blocks) else ("", "")
            head, _, body = text.partition("\n\n")
            first, *headers = head.strip().split("\n")
            method, target = first.split(" ", 1)
            shown = json.loads(after[1]) if after[0] == "json" else after[1].strip() if after[0] == "text" else None
            named = [(name, value) for name, _, value in (line.partition(": ") for line in headers)]
            yield Call(method, target, named, body.strip().encode(), shown)


def read_settings(project: Path, variables: Mapping[str, str] = MappingProxyType({})) -> Settings:
    return load_settings(project, {**SECRETS, **variables}, mode="development")


@pytest.fixture(scope="session")
async def magazine(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create the magazine in a folder, with its content in a database."""
    project = tmp_path_factory.mktemp("magazine") / "site"
    left_out = shutil.ignore_patterns(".octavo", ".env", "uploads")
    shutil.copytree(ROOT / "examples/magazine", project, ignore=left_out)
    settings = read_settings(project)
    octavo = build(settings)
    locale = settings.plugins.i18n.config.default_locale
    await prepare_database(octavo.database, octavo.site.registry, locale, own_tables(settings))
    storage = LocalStorage(project / "public/uploads")
    writer = EntryWriter(octavo.database, octavo.site.registry)
    await load_seed(project, writer, open_media(settings, octavo.database, storage), lambda *step: None)
    await octavo.database.close()
    shutil.rmtree(project / "public/uploads")
    return project


@asynccontextmanager
async def serving(
    magazine: Path, folder: Path, files: Mapping[str, str], variables: Mapping[str, str] = MappingProxyType({})
) -> AsyncIterator[Process]:
    """Serve the magazine with an example's files, in its own folder. `variables`: environment variables."""
    project = folder / "site"
    shutil.copytree(magazine, project)
    for name, text in files.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text, encoding="utf-8")
    octavo = build(read_settings(project, variables))
    await octavo.asgi.start()
    try:
        yield octavo
    finally:
        await octavo.asgi.stop()


async def answer(
    magazine: Path,
    folder: Path,
    example: Example,
    then: Callable[[], Awaitable[Any]] | None = None,
    **variables: str,
) -> Any:
    """Return `data` of the response to an operation. `then` is called before the service stops; `variables` as in
    `serving`."""
    async with serving(magazine, folder, example.files, variables) as octavo:
        body = json.dumps({"query": example.operation}).encode()
        asked = await call(octavo.asgi, "POST", "/graphql", [("Content-Type", "application/json")], [body])
        if then is not None:
            await then()
    assert asked.status == 200, asked.body
    return asked.json["data"]


async def check_calls(magazine: Path, folder: Path, example: RestExample) -> None:
    """Send the requests of an example in order and compare the responses with the page."""
    async with serving(magazine, folder, example.files) as octavo:
        for asked in example.calls:
            found = await call(octavo.asgi, asked.method, asked.target, asked.headers, [asked.body])
            if isinstance(asked.shown, str):
                assert found.body.decode().strip() == asked.shown, asked.target
            elif asked.shown is not None:
                assert part_of(found.json, asked.shown) == asked.shown, asked.target
            else:
                assert found.body == b"", asked.target


def part_of(value: Any, shown: Any) -> Any:
    """Return the part of a value that a page shows: only the members that the page names."""
    if isinstance(value, dict) and isinstance(shown, dict):
        return {name: part_of(value.get(name), item) for name, item in shown.items()}
    if isinstance(value, list) and isinstance(shown, list) and len(value) == len(shown):
        return [part_of(*pair) for pair in zip(value, shown, strict=True)]
    return value
