"""A project to measure the admin pages: the large magazine (`load_data`) and two additional types.

`form` has 60 fields, three relations, a repeatable component and a dynamic zone: one entry has 30 components, 6 of them
in the zone. `shelf` links articles: one entry links a thousand.
"""

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from benchmarks.load_data import fill, write_project
from octavo.operations.runtime.open_resources import open_project_database
from octavo.schema.loader import load_registry
from octavo.settings import Settings
from tests.models.content import ContentWriter

FORM: Final = "api::form.form"
SHELF: Final = "api::shelf.shelf"
FIELDS, COMPONENTS, IN_ZONE, LINKS = 60, 30, 6, 1000
_TEXT: Final = "measured and measured again "
_VALUES: Final = (
    ({"type": "string"}, _TEXT.strip()),
    ({"type": "string", "maxLength": 120}, _TEXT.strip()),
    ({"type": "text"}, _TEXT * 8),
    ({"type": "integer", "min": 0}, 7),
    ({"type": "decimal"}, 1.25),
    ({"type": "boolean", "default": False}, True),
    ({"type": "enumeration", "enum": ["one", "two", "three"]}, "two"),
    ({"type": "date"}, "2024-02-29"),
    ({"type": "email"}, "ada@example.org"),
    ({"type": "string"}, ""),
)
"""Attributes and their values. The fields of a form repeat these."""
_FACT: Final = {"name": {"type": "string"}, "value": {"type": "integer"}, "note": {"type": "text"}}
_ZONE: Final = {"title": {"type": "string"}, "text": {"type": "text"}}
Progress = Callable[[int, int], None]


def make_project(folder: Path, articles: int, progress: Progress) -> None:
    """Create the project in a folder that does not exist yet."""
    settings = write_project(folder, {})
    for path, definition in _definitions():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(json.dumps(definition, indent=2), "utf-8")
    asyncio.run(_fill(settings, articles, progress))


def _definitions() -> Iterator[tuple[str, dict[str, Any]]]:
    """Return the additional definitions by path."""
    form: dict[str, Any] = {"title": {"type": "string"}}
    form |= {_field(number): _VALUES[number % len(_VALUES)][0] for number in range(1, FIELDS)}
    form |= {
        "author": {"type": "relation", "relation": "oneToOne", "target": "api::author.author"},
        "tags": {"type": "relation", "relation": "oneToMany", "target": "api::tag.tag"},
        "articles": {"type": "relation", "relation": "oneToMany", "target": "api::article.article"},
        "facts": {"type": "component", "repeatable": True, "component": "measured.fact"},
        "zone": {"type": "dynamiczone", "components": ["measured.part"]},
    }
    links = {"type": "relation", "relation": "oneToMany", "target": "api::article.article"}
    for name, attributes in (("form", form), ("shelf", {"title": {"type": "string"}, "articles": links})):
        info = {"singularName": name, "pluralName": f"{name}s", "displayName": name.title()}
        yield (
            f"src/api/{name}/content-types/{name}/schema.json",
            {"kind": "collectionType", "collectionName": f"{name}s", "info": info, "attributes": attributes},
        )
    for name, attributes in (("fact", _FACT), ("part", _ZONE)):
        yield (
            f"src/components/measured/{name}.json",
            {"collectionName": f"measured_{name}s", "info": {"displayName": name.title()}, "attributes": attributes},
        )


def _field(number: int) -> str:
    return f"field{number:02}"


async def _fill(settings: Settings, articles: int, progress: Progress) -> None:
    await fill(settings, progress, articles)
    registry = load_registry(settings.project)
    database = open_project_database(settings)
    try:
        async with database.transaction() as transaction:
            writer = ContentWriter(transaction, registry, database.dialect)
            await writer.add(FORM, **_form())
            links = list(range(1, min(LINKS, articles) + 1))
            await writer.add(SHELF, title="A thousand", articles=links)
    finally:
        await database.close()


def _form() -> dict[str, Any]:
    values = {_field(number): _VALUES[number % len(_VALUES)][1] for number in range(1, FIELDS)}
    facts = [{"name": f"Fact {number}", "value": number, "note": _TEXT} for number in range(COMPONENTS)]
    parts = [{"__component": "measured.part", "title": f"Part {number}", "text": _TEXT} for number in range(IN_ZONE)]
    relations = {"author": 1, "tags": list(range(1, 21)), "articles": list(range(1, 21))}
    return {"title": "All fields", **values, **relations, "facts": facts, "zone": parts}
