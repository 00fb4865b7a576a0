"""Python generated from definitions: exact text for a small project, unusual names, and the results of mypy.

`make clients` checks the same code with pyright (types-python.mjs).
"""

import inspect
import re
import shutil
from pathlib import Path
from typing import get_type_hints

import pytest
from mypy import api

from octavo.modeling.typings.python import names_of, render_own_code
from octavo.query.operators import LOGICAL, OPERATORS
from octavo.schema.loader import load_registry
from octavo.schema.registry import Registry
from octavo.sdk import Entries
from octavo.typed import NumberCondition, TextCondition, TypedEntries
from tests.modeling.typings.projects import conference, write_large_project

ROOT = Path(__file__).parents[3]
TALK = '''\
Talk = TypedDict(
    "Talk",
    {
        "id": "int",
        "title": "str | None",
        "level": "Literal[\\"easy\\", \\"hard\\"] | None",
        "views": "str | None",
        "weird-name": "Json",
        "createdAt": "str",
        "updatedAt": "str",
        "publishedAt": "str | None",
        "locale": "str | None",
        "speaker": "NotRequired[Speaker | None]",
        "slides": "NotRequired[list[UploadFile] | None]",
        "parts": "NotRequired[list[TalkPart]]",
        "body": "NotRequired[list[TalkPartItem | TalkQuoteItem]]",
        "localizations": "NotRequired[list[Talk]]",
    },
)
"""api::talk.talk"""
'''
SPEAKER = '''\
class Speaker(TypedDict):
    """api::speaker.speaker"""

    id: int
    name: str
    createdAt: str
    updatedAt: str
    talks: NotRequired[list[Talk]]

class SpeakerInput(TypedDict):
    name: str
    talks: NotRequired[ManyInput]

class SpeakerUpdate(TypedDict, total=False):
    name: str
    talks: ManyInput

SpeakerFilters = TypedDict(
    "SpeakerFilters",
    {
        "id": "IdFilter",
        "name": "TextFilter",
        "createdAt": "TextFilter",
        "updatedAt": "TextFilter",
        "talks": "IdFilter | TalkFilters",
        "$and": "Sequence[SpeakerFilters]",
        "$or": "Sequence[SpeakerFilters]",
        "$not": "SpeakerFilters",
    },
    total=False,
)

SpeakerField = Literal["*", "id", "name", "createdAt", "updatedAt"]

class SpeakerPopulated(TypedDict, total=False):
    talks: bool | TalkBelow

SpeakerPath = Literal["*", "talks"]

SpeakerPopulate = SpeakerPath | Sequence[SpeakerPath] | SpeakerPopulated
'''


def test_the_classes_of_a_small_project(tmp_path: Path) -> None:
    text = render_own_code(conference(tmp_path))
    assert TALK in text
    assert SPEAKER in text


def test_generated_code_runs_and_is_reproducible(registry: Registry) -> None:
    text = render_own_code(registry)
    backwards = Registry([*registry.content_types.values()][::-1], [*registry.components.values()][::-1])
    assert render_own_code(backwards) == text
    made: dict[str, object] = {"__name__": "content"}
    exec(compile(text, "content.py", "exec", dont_inherit=True), made)
    assert made["App"] is made["_App"]


def test_type_checkers_accept_valid_code_and_refuse_invalid_code(tmp_path: Path) -> None:
    (tmp_path / "content.py").write_text(render_own_code(conference(tmp_path)), encoding="utf-8")
    shutil.copy(Path(__file__).parent / "conference_code/use.py", tmp_path)
    shutil.rmtree(tmp_path / "src")
    (tmp_path / "src").mkdir()
    large = load_registry(write_large_project(tmp_path / "large", 30))
    (tmp_path / "large.py").write_text(render_own_code(large), encoding="utf-8")
    magazine = load_registry(ROOT / "examples/magazine")
    (tmp_path / "src/types.py").write_text(render_own_code(magazine), encoding="utf-8")
    (example,) = re.findall(
        r"^```python\n(.*?)^```", (ROOT / "docs/types.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    (tmp_path / "src/index.py").write_text(example, encoding="utf-8")
    config = tmp_path / "mypy.ini"
    config.write_text(f"[mypy]\nstrict = True\nmypy_path = {ROOT / 'src'}:{tmp_path}\nexplicit_package_bases = True\n")
    files = (str(tmp_path / name) for name in ("content.py", "use.py", "src", "large.py"))
    reported, errors, code = api.run(["--config-file", str(config), "--cache-dir", str(tmp_path / "cache"), *files])
    assert (reported, errors, code) == ("Success: no issues found in 5 source files\n", "", 0)


def test_names_are_short_and_unique(registry: Registry, tmp_path: Path) -> None:
    types = conference(tmp_path).content_types
    talk, speaker = types["api::talk.talk"], types["api::speaker.speaker"]
    assert [name.entry for name in names_of([talk, speaker], ["SpeakerInput"]).values()] == [
        "Talk",
        "ApiSpeakerSpeaker",
    ]
    assert names_of(registry.components.values(), [])["shop-odd.banner-2"].entry == "ShopOddBanner2"


def test_conditions_have_all_operators() -> None:
    names = {*OPERATORS, *LOGICAL}
    assert set(get_type_hints(TextCondition)) == set(get_type_hints(NumberCondition)) == names


@pytest.mark.parametrize("name", [name for name in vars(TypedEntries) if not name.startswith("_")])
def test_typed_entries_have_the_signatures_of_entries(name: str) -> None:
    typed, plain = (inspect.signature(getattr(owner, name)).parameters for owner in (TypedEntries, Entries))
    is_open = any(parameter.kind is parameter.VAR_KEYWORD for parameter in plain.values())
    shared = {key for key in typed if key in plain or not is_open}
    assert {key: plain[key].default for key in shared} == {key: typed[key].default for key in shared}


def test_only_used_names_are_imported(tmp_path: Path) -> None:
    text = render_own_code(conference(tmp_path))
    imported = re.findall(
        r"^    (\w+),$", text.partition("from octavo.typed import (")[2].partition(")")[0], re.MULTILINE
    )
    assert imported == [name for name in imported if len(re.findall(rf"\b{name}\b", text)) > 1]
