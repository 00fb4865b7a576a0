"""Worked examples of pages of the docs: files of a project, an operation, its answer; run on the sample magazine."""

import json
import re
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from octavo.content.writer import EntryWriter
from octavo.media.storage.local import LocalStorage
from octavo.runtime.open_resources import open_media
from octavo.runtime.prepare_database import prepare_database
from octavo.runtime.process import build
from octavo.settings import Settings, load_settings
from octavo.transfer.seed import load_seed
from tests.http.asgi import call
from tests.models.bookshop import SECRETS

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Example:
    """Files of a project by their paths, an operation, and `data` of its answer where the page shows it."""

    title: str
    files: dict[str, str]
    operation: str
    data: Any


def read_examples(name: str) -> list[Example]:
    """The examples of a page, one for each section that has any."""
    page = (ROOT / "docs" / name).read_text(encoding="utf-8")
    examples = []
    for section in re.split(r"^(?=## )", page, flags=re.MULTILINE):
        blocks = re.findall(r"^```(\w+)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
        files = {text.split("\n", 1)[0].removeprefix("# "): text for kind, text in blocks if kind == "python"}
        if not files:
            continue
        [operation] = [text for kind, text in blocks if kind == "graphql"]
        answers = [json.loads(text) for kind, text in blocks if kind == "json"]
        title = section.split("\n", 1)[0].lstrip("# ")
        examples.append(Example(title, files, operation, answers[0] if answers else None))
    return examples


def read_settings(project: Path) -> Settings:
    return load_settings(project, SECRETS, mode="development")


@pytest.fixture(scope="session")
async def magazine(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the magazine, its content in a database in it."""
    project = tmp_path_factory.mktemp("magazine") / "site"
    left_out = shutil.ignore_patterns(".octavo", ".env", "uploads")
    shutil.copytree(ROOT / "examples/magazine", project, ignore=left_out)
    settings = read_settings(project)
    octavo = build(settings)
    await prepare_database(octavo.database, octavo.site.registry, settings.plugins.i18n.config.default_locale)
    storage = LocalStorage(project / "public/uploads")
    writer = EntryWriter(octavo.database, octavo.site.registry)
    await load_seed(project, writer, open_media(settings, octavo.database, storage), lambda *step: None)
    await octavo.database.close()
    shutil.rmtree(project / "public/uploads")
    return project


async def answer(
    magazine: Path, folder: Path, example: Example, then: Callable[[], Awaitable[Any]] | None = None
) -> Any:
    """`data` of the answer to an example's operation, in a folder of its own; `then`: before the service stops."""
    project = folder / "site"
    shutil.copytree(magazine, project)
    for name, text in example.files.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text, encoding="utf-8")
    octavo = build(read_settings(project))
    await octavo.asgi.start()
    try:
        body = json.dumps({"query": example.operation}).encode()
        asked = await call(octavo.asgi, "POST", "/graphql", [("Content-Type", "application/json")], [body])
        if then is not None:
            await then()
    finally:
        await octavo.asgi.stop()
    assert asked.status == 200, asked.body
    return asked.json["data"]
