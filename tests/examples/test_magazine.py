"""The example magazine is valid: its definitions load, and every entry of its seed conforms to them."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from octavo.schema.attributes import (
    UID,
    AnyAttribute,
    ComponentField,
    DynamicZone,
    Enumeration,
    Media,
    Relation,
    Scalar,
)
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.loader import load_registry
from octavo.settings.loader import load_settings

PROJECT = Path(__file__).parents[2] / "examples" / "magazine"
SEED = PROJECT / "seed"
REGISTRY = load_registry(PROJECT)
CONTENTS: dict[str, Any] = json.loads((SEED / "seed.json").read_text("utf-8"))
ENTRIES: list[dict[str, Any]] = [
    entry for name in CONTENTS["entries"] for entry in json.loads((SEED / name).read_text("utf-8"))
]
BY_KEY = {entry["key"]: entry for entry in ENTRIES}
FILES = {file["key"]: file for file in CONTENTS["files"]}
LOCALES = [locale["code"] for locale in CONTENTS["locales"]]

FORMS: Mapping[str, type] = {"integer": int, "boolean": bool, "decimal": float}
READERS = {"date": date.fromisoformat, "time": time.fromisoformat, "datetime": datetime.fromisoformat}

each_entry = pytest.mark.parametrize("entry", [pytest.param(entry, id=entry["key"]) for entry in ENTRIES])


def strings(value: Any) -> Iterator[str]:
    """Yield every string in a value, at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def problems(definition: Definition, data: Mapping[str, Any], where: str, draft: bool = False) -> Iterator[str]:
    """Yield the contradictions between the data and its definition."""
    for name in data.keys() - definition.attributes.keys() - {"__component"}:
        yield f"{where}.{name}: not defined"
    for attribute in definition.attributes.values():
        place = f"{where}.{attribute.name}"
        if attribute.name in data:
            yield from value_problems(attribute, data[attribute.name], place)
        elif attribute.required and not draft and not getattr(attribute, "has_default", False):
            yield f"{place}: missing"


def value_problems(attribute: AnyAttribute, value: Any, where: str) -> Iterator[str]:
    if attribute.name == "publishedAt" and value is None:
        return
    if isinstance(attribute, Scalar):
        yield from scalar_problems(attribute, value, where)
        return
    if isinstance(value, list) is not attribute.to_many:
        yield f"{where}: one or many"
    for index, item in enumerate(as_list(value)):
        yield from item_problems(attribute, item, f"{where}.{index}")


def item_problems(attribute: Relation | Media | ComponentField | DynamicZone, item: Any, where: str) -> Iterator[str]:
    match attribute:
        case Relation():
            if attribute.mapped_by or target_of(item) != attribute.target:
                yield f"{where}: {item} does not belong here"
        case Media():
            if item.removeprefix("@file:") not in FILES:
                yield f"{where}: there is no {item}"
        case ComponentField():
            yield from problems(REGISTRY.components[attribute.component], item, where)
        case DynamicZone():
            if item["__component"] not in attribute.components:
                yield f"{where}: {item['__component']} is not allowed here"
            yield from problems(REGISTRY.components[item["__component"]], item, where)


def target_of(reference: str) -> str | None:
    return BY_KEY[reference[1:]]["uid"] if reference[:1] == "@" and reference[1:] in BY_KEY else None


def scalar_problems(attribute: Scalar, value: Any, where: str) -> Iterator[str]:
    if attribute.type == "json":
        return
    if type(value) is not FORMS.get(attribute.type, str):
        yield f"{where}: {value!r} is no {attribute.type}"
    elif isinstance(value, str):
        yield from text_problems(attribute, value, where)
    elif isinstance(value, int | float) and not (attribute.minimum or 0) <= value <= (attribute.maximum or value):
        yield f"{where}: {value} is out of bounds"


def text_problems(attribute: Scalar, value: str, where: str) -> Iterator[str]:
    if value.startswith("@text:"):
        value = (SEED / value.removeprefix("@text:")).read_text("utf-8")
    if not value.strip():
        yield f"{where}: empty"
    if attribute.max_length and len(value) > attribute.max_length:
        yield f"{where}: {len(value)} characters, {attribute.max_length} allowed"
    if isinstance(attribute, Enumeration) and value not in attribute.values:
        yield f"{where}: {value!r} is not one of {attribute.values}"
    if isinstance(attribute, UID) and not re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", value):
        yield f"{where}: {value!r} is no slug"
    if attribute.regex and not re.search(attribute.regex, value):
        yield f"{where}: {value!r} does not match {attribute.regex}"
    if attribute.type in READERS:
        READERS[attribute.type](value)


def test_the_seed_has_entries_of_every_type() -> None:
    assert Counter(entry["uid"].rpartition(".")[2] for entry in ENTRIES) == {
        "tag": 15,
        "category": 18,
        "author": 6,
        "article": 24,
        "event": 4,
        "homepage": 3,
        "about": 1,
    }
    assert {item.uid for item in REGISTRY.api_types()} == {entry["uid"] for entry in ENTRIES}
    used = {text for entry in ENTRIES for text in strings(entry["data"]) if text in REGISTRY.components}
    assert used | {"shared.seo", "shared.link", "shared.fact"} == REGISTRY.components.keys()


def test_both_sides_of_each_relation_agree() -> None:
    for definition in REGISTRY.api_types():
        for relation in (item for item in definition.attributes.values() if isinstance(item, Relation)):
            target = REGISTRY.target(relation)
            assert target is not None
            if relation.inversed_by:
                assert target.relation(relation.inversed_by).mapped_by == relation.name
            if relation.mapped_by and relation.name != "localizations":
                assert target.relation(relation.mapped_by).inversed_by == relation.name


def test_the_settings_are_those_of_a_new_project() -> None:
    settings = load_settings(PROJECT, {}, "development", require_secrets=False)
    assert (settings.adopted, settings.profile, settings.plugins.i18n.config.default_locale) == (False, "safe", "en")


@each_entry
def test_entry_agrees_with_its_definition(entry: dict[str, Any]) -> None:
    definition = REGISTRY.content_types[entry["uid"]]
    draft = definition.draft_and_publish and entry["data"]["publishedAt"] is None
    assert list(problems(definition, entry["data"], entry["key"], draft)) == []


@each_entry
def test_entry_refers_only_to_earlier_entries(entry: dict[str, Any]) -> None:
    before = {other["key"] for other in ENTRIES[: ENTRIES.index(entry)]}
    known = {f"@{key}" for key in before} | {f"@file:{key}" for key in FILES}
    references = {text for text in strings(entry["data"]) if text.startswith("@") and not text.startswith("@text:")}
    assert references - known == set()
    assert entry.get("localizationOf") in {None, *before}


@each_entry
def test_entry_has_its_locale(entry: dict[str, Any]) -> None:
    definition = REGISTRY.content_types[entry["uid"]]
    if not definition.localized:
        assert not entry.keys() & {"locale", "localizationOf"}
        return
    sibling = BY_KEY[entry.get("localizationOf", entry["key"])]
    assert sibling["uid"] == entry["uid"]
    assert sibling["locale"] == LOCALES[0]
    assert (entry["locale"] == LOCALES[0]) is (entry is sibling)
    shared = {name for name in entry["data"] if name != "publishedAt" and not definition.attributes[name].localized}
    assert {name: entry["data"][name] for name in shared} == {name: sibling["data"][name] for name in shared}


def test_each_localized_entry_exists_in_every_locale() -> None:
    groups: dict[str, list[str]] = {}
    for entry in ENTRIES:
        if "locale" in entry:
            groups.setdefault(entry.get("localizationOf", entry["key"]), []).append(entry["locale"])
    assert all(locales == LOCALES for locales in groups.values())


def test_keys_and_unique_values_are_unique() -> None:
    assert len(BY_KEY) == len(ENTRIES)
    seen = Counter(
        (entry["uid"], attribute.name, entry["data"][attribute.name])
        for entry in ENTRIES
        for attribute in REGISTRY.content_types[entry["uid"]].scalars
        if (attribute.unique or isinstance(attribute, UID)) and attribute.name in entry["data"]
    )
    assert [value for value, times in seen.items() if times > 1] == []


@pytest.mark.parametrize("file", [pytest.param(file, id=file["key"]) for file in CONTENTS["files"]])
def test_picture_is_there_described_and_small(file: dict[str, str]) -> None:
    path = SEED / file["path"]
    with Image.open(path) as image:
        assert (image.format, image.size) == ("JPEG", (600, 600) if "portrait" in file["key"] else (1200, 800))
    assert path.stat().st_size < 120_000
    assert len(file["alternativeText"]) > 10


def test_every_file_is_used() -> None:
    texts = {text for entry in ENTRIES for text in strings(entry["data"])}
    assert {f"@file:{key}" for key in FILES} - texts == set()
    assert {path.relative_to(SEED).as_posix() for path in SEED.rglob("*.jpg")} == {
        file["path"] for file in FILES.values()
    }
    assert {f"@text:articles/{path.name}" for path in (SEED / "articles").iterdir()} - texts == set()
    assert {path.name for path in (SEED / "entries").iterdir()} == {Path(name).name for name in CONTENTS["entries"]}


def test_public_may_read_every_type_and_write_none() -> None:
    def actions(definition: ContentType) -> set[str]:
        return {f"{definition.uid}.{action}" for action in (("find",) if definition.is_single else ("find", "findOne"))}

    granted = CONTENTS["permissions"]["public"]
    assert len(granted) == len(set(granted))
    assert set(granted) == set().union(*(actions(item) for item in REGISTRY.api_types()))


def test_articles_are_real_reading() -> None:
    bodies = {path.stem: len(path.read_text("utf-8").split()) for path in (SEED / "articles").iterdir()}
    long = [name for name, words in bodies.items() if 200 <= words <= 600]
    assert len(long) == 18
    assert min(bodies.values()) > 60


def test_each_issue_appears_in_order() -> None:
    published = [entry["data"]["publishedAt"] for entry in ENTRIES if entry["data"].get("issueDate")]
    moments = [moment for moment in published if moment]
    assert len(published) - len(moments) == 3
    assert all(earlier < later for earlier, later in pairwise(moments))


def test_no_local_file_is_committed() -> None:
    ignored = (PROJECT / ".gitignore").read_text().split("\n")
    assert {".env", ".octavo/", "public/uploads/*"} <= set(ignored)
