"""Plugins: an installed package adds types, routes, hooks, GraphQL, settings and commands to a project."""

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from octavo.cli import main
from octavo.modeling.refactoring.rename import plan_rename
from octavo.project import InvalidCode
from octavo.project.plugins import installed_plugins, plugins_in_use, read_config
from octavo.settings import load_settings
from octavo.testing import open_site
from tests.cli.projects import STORY, write_type

TYPE = {
    "kind": "collectionType",
    "info": {"singularName": "review", "pluralName": "reviews", "displayName": "Review"},
    "attributes": {"text": {"type": "text", "required": True}, "stars": {"type": "integer"}},
}
COMMAND = """
@click.command()
def reviews():
    click.echo("41 reviews")
"""
FILES = {
    "index.py": """
from dataclasses import dataclass

@dataclass(frozen=True)
class Settings:
    most: int = 5
    words: list[str] | None = None

def register(app):
    most = app.plugin("reviews").config.most
    app.plugin("graphql").service("extension").use({
        "type_defs": "type Query { mostStars: Int! }",
        "resolvers": {"Query": {"mostStars": lambda parent: most}},
        "resolvers_config": {"Query.mostStars": {"auth": False}},
    })
""",
    "api/review/content-types/review/schema.json": json.dumps(TYPE),
    "api/review/content-types/review/lifecycles.py": """
from octavo import ValidationError

def before_create(event):
    most = event.app.plugin("reviews").config.most
    if event.params.data.get("stars", 0) > most:
        raise ValidationError(f"at most {most} stars")
""",
    "api/review/controllers/review.py": """
from octavo import Controller
from ....words import greeting

class ReviewController(Controller):
    async def hello(self, request):
        return {"hello": greeting}
""",
    "api/review/routes/own.py": """
from octavo import Route
routes = [Route("GET", "/reviews/hello", "review.hello", auth=False)]
""",
    "words.py": "greeting = 'from the plugin'\n",
    "commands.py": f"import click\n{COMMAND}",
}
ENTRY_POINTS = """
[octavo.plugins]
reviews = octavo_reviews

[octavo.commands]
reviews = octavo_reviews.commands:reviews
"""


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of installed packages with the plugin."""
    folder = tmp_path / "packages"
    write(folder / "octavo_reviews", {"__init__.py": "", **FILES})
    metadata = "Metadata-Version: 2.1\nName: octavo-reviews\nVersion: 1.4.0\n"
    write(folder / "octavo_reviews-1.4.0.dist-info", {"METADATA": metadata, "entry_points.txt": ENTRY_POINTS})
    monkeypatch.syspath_prepend(str(folder))
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == "octavo_reviews"]:
        del sys.modules[name]


def project(tmp_path: Path, plugins: str) -> Path:
    folder = tmp_path / "project"
    write(folder, {"config/plugins.toml": plugins, "src/api/.keep": ""})
    return folder


IN_USE = "[reviews]\nenabled = true\nconfig = { most = 3 }\n"


@pytest.mark.anyio
async def test_a_file_of_a_plugin_is_loaded_once(tmp_path: Path, packages: Path) -> None:
    files = {
        "__init__.py": "AUTHOR = 'Ada'\n",
        "commands.py": "import click\nfrom octavo_reviews.words import seen\nseen.append('commands')\n" + COMMAND,
        "words.py": "from . import AUTHOR\nseen = []\ngreeting = AUTHOR\n",
        "api/review/services/review.py": """
from octavo import Service
from octavo_reviews.words import seen
from octavo_reviews import words
from ....words import seen as same
seen.append("service")
assert seen is same is words.seen

class ReviewService(Service):
    pass
""",
        "api/review/controllers/review.py": """
from octavo import Controller
from octavo_reviews.words import greeting, seen
seen.append("controller")

class ReviewController(Controller):
    async def hello(self, request):
        from octavo_reviews.api.review.services import review
        own = type(self.app.service("api::review.review")) is review.ReviewService
        return {"hello": greeting, "seen": seen, "one": own}
""",
    }
    write(packages / "octavo_reviews", files)
    importlib.import_module("octavo_reviews.commands")
    for _ in range(2):
        async with open_site(project(tmp_path, IN_USE)) as site:
            reported = (await site.get("/api/reviews/hello")).json()
            assert reported == {"hello": "Ada", "seen": ["commands", "controller", "service"], "one": True}


@pytest.mark.anyio
async def test_a_plugin_is_a_second_src(tmp_path: Path, packages: Path) -> None:
    async with open_site(project(tmp_path, IN_USE)) as site:
        assert (await site.get("/api/reviews/hello")).json() == {"hello": "from the plugin"}
        assert await site.graphql("{ mostStars }") == {"mostStars": 3}
        await site.allow("public", "api::review.review.*")
        made = await site.post("/api/reviews", json={"data": {"text": "fine", "stars": 2}})
        assert made.json()["data"]["attributes"]["stars"] == 2
        refused = await site.post("/api/reviews", json={"data": {"text": "fine", "stars": 4}})
        assert (refused.status_code, refused.json()["error"]["message"]) == (400, "at most 3 stars")
        assert await site.app.entries("api::review.review").count() == 1


def test_a_project_with_relations_to_a_plugin_can_rename_its_attributes(tmp_path: Path, packages: Path) -> None:
    folder = project(tmp_path, IN_USE)
    relation = {"type": "relation", "relation": "manyToOne", "target": "api::review.review"}
    story = {**STORY, "attributes": {"title": {"type": "string"}, "review": relation}}
    write_type(folder, story)
    settings = load_settings(folder, {}, require_secrets=False)
    assert plan_rename(settings, "story", "review", "opinion").uid == "api::story.story"


@pytest.mark.anyio
async def test_disabled_plugins_are_not_imported(tmp_path: Path, packages: Path) -> None:
    (packages / "octavo_reviews" / "index.py").write_text("raise RuntimeError\n", encoding="utf-8")
    async with open_site(project(tmp_path, "[reviews]\nenabled = false\n")) as site:
        assert (await site.get("/api/reviews/hello")).status_code == 404


@pytest.mark.anyio
@pytest.mark.parametrize(
    "plugins,files,expected",
    [
        (IN_USE.replace("reviews", "review"), {}, "config/plugins.toml: review: the plugin is not installed; did you"),
        (
            IN_USE.replace("reviews", "shop"),
            {},
            "config/plugins.toml: shop: the plugin is not installed; install its package, then restart Octavo",
        ),
        (IN_USE.replace("3", "'3'"), {}, "config/plugins.toml: reviews.config.most: expected int, not '3'"),
        (IN_USE.replace("most", "mots"), {}, "reviews.config.mots: unknown setting; did you mean most?"),
        (IN_USE, {"index.py": "import nothing_there\n"}, "octavo_reviews/index.py:1 <module>: ModuleNotFoundError"),
        (
            IN_USE,
            {"index.py": "def register(app):\n    app.entries('api::reviews.review')\n"},
            "octavo_reviews/index.py:2 register: UnknownName: unknown content type api::reviews.review",
        ),
    ],
    ids=["missing", "not installed", "a value", "a key", "an import", "register"],
)
async def test_errors_stop_the_start(
    tmp_path: Path, packages: Path, plugins: str, files: dict[str, str], expected: str
) -> None:
    write(packages / "octavo_reviews", files)
    with pytest.raises(InvalidCode) as caught:
        async with open_site(project(tmp_path, plugins)):
            pass
    assert expected in str(caught.value)


@pytest.mark.anyio
async def test_duplicate_definitions_stop_the_start(tmp_path: Path, packages: Path) -> None:
    folder = project(tmp_path, IN_USE)
    write(folder / "src", {name: text for name, text in FILES.items() if "controllers" in name or name == "words.py"})
    with pytest.raises(InvalidCode, match=r"api::review\.review is also in octavo_reviews/"):
        async with open_site(folder):
            pass


def test_listed(tmp_path: Path, packages: Path) -> None:
    write(packages / "octavo_reviews", {"policies/is_kind.py": ""})
    folder = project(tmp_path, IN_USE)
    listed = CliRunner().invoke(main, ["plugins", "list", "--json", "--project", str(folder)])
    lines = {line["name"]: line for line in json.loads(listed.output)}
    assert lines["upload"] == {"name": "upload", "enabled": True, "version": "built in", "brings": ""}
    assert lines["reviews"] == {
        "name": "reviews",
        "enabled": True,
        "version": "1.4.0",
        "brings": "api::review.review, 1 route, 1 controller, 1 policy, 1 hook file, index.py",
    }
    assert CliRunner().invoke(main, ["reviews"]).output == "41 reviews\n"
    assert "reviews  from octavo-reviews" in CliRunner().invoke(main, ["--help"]).output


def test_an_entry_point_is_a_package(packages: Path) -> None:
    wrong = ENTRY_POINTS.replace("= octavo_reviews\n", "= octavo_reviews_gone\n")
    write(packages / "octavo_reviews-1.4.0.dist-info", {"entry_points.txt": wrong})
    with pytest.raises(
        InvalidCode, match="octavo-reviews: entry point reviews: octavo_reviews_gone is not an installed package"
    ):
        installed_plugins()
    assert plugins_in_use({"reviews": {"enabled": False}}) == ()


@pytest.mark.parametrize(
    "hint,value,fits",
    [
        (int, 3, True),
        (int, True, False),
        (float, 3, True),
        (bool, True, True),
        (bool, 1, False),
        (str | None, None, True),
        (str | None, 3, False),
        (list[str], ["a"], True),
        (tuple[str, ...], ["a"], True),
        (dict[str, Any], [], False),
    ],
)
def test_values_of_settings(hint: Any, value: Any, fits: bool) -> None:
    from dataclasses import make_dataclass

    kind = make_dataclass("Settings", [("key", hint)])
    if fits:
        assert read_config(kind, {"key": value}, "reviews").key == value
    else:
        with pytest.raises(InvalidCode, match=r"config/plugins\.toml: reviews\.config\.key: expected"):
            read_config(kind, {"key": value}, "reviews")
