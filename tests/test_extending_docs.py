"""Every worked example of `docs/extending.md` is run on the sample magazine: its files, its request, its answer."""

import json
import re
import shutil
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
PAGE = (ROOT / "docs/extending.md").read_text(encoding="utf-8")

pytestmark = pytest.mark.anyio


@dataclass(frozen=True)
class Example:
    """Files of a project by their paths, an operation, and `data` of its answer where the page shows it."""

    title: str
    files: dict[str, str]
    operation: str
    data: Any


def read_examples() -> list[Example]:
    examples = []
    for section in re.split(r"^(?=## )", PAGE, flags=re.MULTILINE):
        blocks = re.findall(r"^```(\w+)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
        files = {text.split("\n", 1)[0].removeprefix("# "): text for kind, text in blocks if kind == "python"}
        [operation] = [text for kind, text in blocks if kind == "graphql"]
        answers = [json.loads(text) for kind, text in blocks if kind == "json"]
        title = section.split("\n", 1)[0].lstrip("# ")
        examples.append(Example(title, files, operation, answers[0] if answers else None))
    return examples


EXAMPLES = read_examples()


def read_settings(project: Path) -> Settings:
    return load_settings(project, SECRETS, mode="development")


@pytest.fixture(scope="module")
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


async def answer(magazine: Path, folder: Path, example: Example) -> Any:
    project = folder / "site"
    shutil.copytree(magazine, project)
    for name, text in example.files.items():
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(text, encoding="utf-8")
    octavo = build(read_settings(project))
    await octavo.asgi.start()
    try:
        body = json.dumps({"query": example.operation}).encode()
        asked = await call(octavo.asgi, "POST", "/graphql", [("Content-Type", "application/json")], [body])
    finally:
        await octavo.asgi.stop()
    assert asked.status == 200, asked.body
    return asked.json["data"]


@pytest.mark.parametrize("example", [pytest.param(item, id=item.title) for item in EXAMPLES])
async def test_worked_example(magazine: Path, tmp_path: Path, example: Example) -> None:
    data = await answer(magazine, tmp_path, example)
    if example.data is not None:
        assert data == example.data


async def test_switches_leave_out_what_they_name(magazine: Path, tmp_path: Path) -> None:
    [example] = [item for item in EXAMPLES if item.data is None]
    data = await answer(magazine, tmp_path, example)
    names = {key: {field["name"] for field in data[key]["fields"]} for key in ("article", "mutation")}
    assert "title" in names["article"]
    assert "slug" not in names["article"]
    assert {"createAuthor", "createArticle"} <= names["mutation"]
    assert names["mutation"] & {"createTag", "updateTag", "deleteTag", "deleteAuthor", "deleteArticle"} == set()


def test_every_key_of_an_extension_has_an_example() -> None:
    from octavo.graphql.customization.apply_extension import KEYS
    from octavo.graphql.customization.field_customization import CONFIG_KEYS

    code = "".join(text for item in EXAMPLES for text in item.files.values())
    assert [key for key in (*KEYS, *CONFIG_KEYS) if f'"{key}"' not in code] == []
