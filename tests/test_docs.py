"""The docs match the code: lists are complete, links work and examples run."""

import importlib
import inspect
import json
import pkgutil
import re
import shlex
import shutil
import time
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import click
import pytest

import octavo
from octavo.cli import main
from octavo.core.errors import OctavoError
from octavo.query.operators import LOGICAL, OPERATORS
from octavo.schema import parse, parse_attributes
from octavo.schema.parse_attributes import PARSERS, RELATION_KINDS
from octavo.settings.compat import RULES
from octavo.settings.keys import camel
from tests import docs_reader
from tests.cli.processes import Server, run, serving

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    page
    for folder in ("docs", "examples", "src", "tests", "benchmarks", "scripts")
    for page in [*(ROOT / folder).rglob("*.md")]
    if "seed/articles" not in page.as_posix()
) + sorted(ROOT.glob("*.md"))
ADDRESS = "http://127.0.0.1:1337"

each_page = pytest.mark.parametrize("page", PAGES, ids=[page.relative_to(ROOT).as_posix() for page in PAGES])


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def section(page: str, heading: str) -> str:
    """Return a page's text below a heading, up to the next heading."""
    return re.split(r"^#+ ", page.split(f"\n## {heading}\n")[1], maxsplit=1, flags=re.MULTILINE)[0]


def first_column(text: str) -> list[str]:
    """Return the code words in the first column of tables."""
    cells = re.findall(r"^\|([^|]*)\|", text, re.MULTILINE)
    return [word for cell in cells for word in re.findall(r"`([^`]+)`", cell)]


def blocks(page: Path, language: str) -> list[str]:
    return [text for kind, text in docs_reader.blocks(page) if kind == language]


# Lists


def test_operators() -> None:
    assert set(re.findall(r"\$\w+", section(read("docs/rest-api.md"), "filters"))) == {*OPERATORS, *LOGICAL}


def test_attribute_types() -> None:
    assert sorted(first_column(section(read("docs/content-types.md"), "Attributes").split("Every attribute")[0])) == (
        sorted(PARSERS)
    )


def test_relation_kinds() -> None:
    text = section(read("docs/content-types.md"), "Relations")
    assert set(re.findall(r"`((?:one|many|morph)\w+)`", text)) - {"morphBy"} == RELATION_KINDS


def test_options_of_definitions() -> None:
    """All keys that the parsers of definitions read."""
    source = "".join(inspect.getsource(module) for module in (parse, parse_attributes))
    words = set(re.findall(r'reader\.\w+\(\w+, "(\w+)"|\.get\("(\w+)"|raw\["(\w+)"\]', source))
    page = read("docs/content-types.md")
    assert {word for found in words for word in found if word and not re.search(rf'[`".]{word}[`".]', page)} == set()


def test_compatibility_rules() -> None:
    by_profile = [camel(name) for name, rule in RULES.items() if rule.v4 != rule.safe]
    assert first_column(section(read("docs/from-strapi-v4.md"), "Profiles")) == by_profile
    by_version = {camel(name) for name, rule in RULES.items() if rule.before}
    assert set(first_column(section(read("docs/versions.md"), "Rules"))) == by_version


def test_figures() -> None:
    """The readme and the page on performance have the same figures."""
    rows = re.findall(r"^\| .+ \| .+ \| (\d+x) \| .+ \| (\d+x) \|$", read("docs/performance.md"), re.MULTILINE)
    reported = [
        re.findall(r"\d+x", line) for line in re.findall(r"^\| (?:SQLite|PostgreSQL) .*", read("README.md"), re.M)
    ]
    assert reported == [list(column) for column in zip(*rows, strict=True)]


def errors() -> Iterator[type[OctavoError]]:
    """Return all error classes of the package."""
    for module in pkgutil.walk_packages(octavo.__path__, "octavo."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    waiting: list[type[OctavoError]] = [OctavoError]
    while waiting:
        found = waiting.pop()
        waiting += found.__subclasses__()
        if found.__module__.startswith("octavo."):
            yield found


def test_errors() -> None:
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \|", read("docs/errors.md"), re.MULTILINE)
    assert rows == sorted(dict.fromkeys(rows), key=lambda row: int(row[0]))
    assert {(int(status), name) for status, name in rows} == {(error.status, error.name) for error in errors()}


def test_dependencies_have_reasons() -> None:
    project = tomllib.loads(read("pyproject.toml"))["project"]
    optional = [name for names in project.get("optional-dependencies", {}).values() for name in names]
    names = {re.split(r"[<>=; \[]", line)[0] for line in (*project["dependencies"], *optional)}
    assert names - {name.lower() for name in re.findall(r"\*\*([\w-]+)\*\*", read("docs/decisions.md"))} == set()


# Mentions


def test_every_page_is_found_from_the_readme() -> None:
    linked, waiting = set[Path](), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        linked.add(page)
        waiting += [target for target, _ in links(page) if target.suffix == ".md" and target not in linked]
    assert set((ROOT / "docs").glob("*.md")) - linked == set()


def links(page: Path) -> Iterator[tuple[Path, str]]:
    """Return the files and headings that a page links to."""
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
        if "://" not in target:
            path, _, anchor = target.partition("#")
            yield (page.parent / path).resolve() if path else page, anchor


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@each_page
def test_links(page: Path) -> None:
    wrong = [
        f"{target}#{anchor}"
        for target, anchor in links(page)
        if not target.exists() or (anchor and anchor not in anchors(target))
    ]
    assert wrong == []


def command_exists(words: list[str]) -> bool:
    command: click.Command | None = main
    for word in words:
        if not isinstance(command, click.Group):
            return True  # an argument
        command = command.get_command(click.Context(command), word)
        if command is None:
            return False
    return True


@each_page
def test_commands_exist(page: Path) -> None:
    pieces = re.findall(r"`([^`\n]+)`|^```sh\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    code = "\n".join(piece for found in pieces for piece in found)
    called = [found.split() for found in re.findall(r"\boctavo ((?:[a-z][a-z-]+ ?)+)", code)]
    assert [" ".join(words) for words in called if not command_exists(words)] == []
    chores = set(re.findall(r"^([a-z]+):", read("Makefile"), re.MULTILINE))
    assert set(re.findall(r"(?:^|`)make ([a-z]+)\b", code)) - chores == set()


@each_page
def test_data_can_be_read(page: Path) -> None:
    for text in blocks(page, "json"):
        json.loads(text)
    for text in blocks(page, "toml"):
        tomllib.loads(text)


# Examples


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Path]]:
    """Serve the sample project with its content, as `make run` does."""
    project = tmp_path_factory.mktemp("example") / "magazine"
    ignored = shutil.ignore_patterns(".env", ".octavo", "uploads")
    shutil.copytree(ROOT / "examples/magazine", project, ignore=ignored)
    with serving("develop", project, "--seed") as server:
        yield server, project


def requests(page: Path) -> list[list[str]]:
    """Return the curl commands of a page as words."""
    lines = "\n".join(blocks(page, "sh")).replace("\\\n", " ").splitlines()
    return [shlex.split(line) for line in lines if line.startswith("curl ")]


def send(words: list[str], server: Server, token: str) -> tuple[int, Any]:
    """Send the request of a curl command and return the response."""
    known = [name for name in words if name.startswith("-")]
    assert set(known) <= {"-g", "-X", "-H", "-d"}
    values = {"-X": "GET", "-d": None} | dict(pairwise(words))
    headers = dict(words[at + 1].split(": ", 1) for at, word in enumerate(words) if word == "-H")
    url = next(word for word in words if word.startswith(ADDRESS))
    data = values["-d"]
    request = Request(
        url.replace(ADDRESS, f"http://127.0.0.1:{server.port}"),
        data=None if data is None else data.encode(),
        headers={name: value.replace("$TOKEN", token) for name, value in headers.items()},
        method=values["-X"],
    )
    with urlopen(request) as answer:
        return answer.status, json.load(answer)


def token_of(readme: str, project: Path) -> str:
    """Create a token as the readme's command does."""
    command = re.search(r"octavo (tokens create .*?) \|", readme)
    assert command
    code, said = run(*shlex.split(command[1].replace("examples/magazine", str(project))))
    assert code == 0, said
    time.sleep(1)  # a running service applies changes of another process within a second
    return said.splitlines()[-1]


def test_the_requests_of_the_readme(example: tuple[Server, Path]) -> None:
    server, project = example
    token = token_of(read("README.md"), project)
    answers = [send(words, server, token) for words in requests(ROOT / "README.md")]
    assert [status for status, _ in answers] == [200, 200]
    assert answers[0][1] == json.loads(blocks(ROOT / "README.md", "json")[0])
    assert answers[1][1]["data"]["attributes"]["name"] == "Harbors"


def test_the_requests_of_the_example(example: tuple[Server, Path]) -> None:
    page = ROOT / "examples/magazine/README.md"
    more = re.findall(r"`(/api/[^`]+)`", page.read_text("utf-8"))
    words = [*requests(page), *(["curl", f"{ADDRESS}{path}"] for path in more)]
    assert len(words) == 5
    for request in words:
        status, body = send(request, example[0], "")
        assert (status, bool(body["data"])) == (200, True), request
