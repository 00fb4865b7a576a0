"""Each option of a content type and of an attribute, before and after a change, with rows from both times.

Every case has its own content type, so three starts cover all: with the files before, after, and before again. `python
-m tests.option_changes.record` records v4's responses.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Raw = dict[str, Any]
LOCALIZED = {"i18n": {"localized": True}}
SHARED = {"i18n": {"localized": False}}
TITLE = {"type": "string"}


def raw_type(
    name: str, attributes: Raw | None = None, *, drafts: bool = False, localized: bool = False, **more: Any
) -> Raw:
    """Return the definition of a content type, as in a file."""
    kind = more.pop("kind", "collectionType")
    plural, table = more.pop("plural", f"{name}s"), more.pop("table", f"{name.replace('-', '_')}s")
    title = {**TITLE, "pluginOptions": LOCALIZED} if localized else TITLE
    return {
        "kind": kind,
        "collectionName": table,
        "info": {"singularName": more.pop("singular", name), "pluralName": plural, "displayName": name},
        "options": {"draftAndPublish": drafts},
        "pluginOptions": {"i18n": {"localized": localized}},
        "attributes": {"title": title, **(attributes or {})},
        **more,
    }


@dataclass(frozen=True)
class Case:
    """A content type before and after a change, and the bodies that are sent at both times. Drafts have `publishedAt:
    null`. `of` is the number, from 1, of the entry that a body localizes.
    """

    name: str
    before: Raw | None
    after: Raw | None
    rows: tuple[Raw, ...] = ({"title": "one"}, {"title": "two"})
    later: tuple[Raw, ...] = ({"title": "later"},)


DRAFTS = ({"title": "shown"}, {"title": "draft", "publishedAt": None})
GERMAN = ({"title": "english"}, {"title": "deutsch", "locale": "de", "of": 1})


def attribute_case(name: str, before: Raw | None, after: Raw | None, *values: Any, later: tuple[Any, ...] = ()) -> Case:
    """Return a case for an attribute `field` before and after (None: missing), and its values in entries."""
    made = [None if raw is None else {"field": raw} for raw in (before, after)]
    rows = tuple({"title": f"row {number}", "field": value} for number, value in enumerate(values, 1))
    more = tuple({"title": f"later {number}", "field": value} for number, value in enumerate(later, 1))
    return Case(name, raw_type(name, made[0]), raw_type(name, made[1]), rows, more)


def relation(kind: str, target: str) -> Raw:
    return {"type": "relation", "relation": kind, "target": f"api::{target}.{target}"}


def localized_field(*, localized: bool, kind: str = "string") -> Raw:
    return {"type": kind, "pluginOptions": LOCALIZED if localized else SHARED}


def localized_case(name: str, *, before: bool, kind: str = "string", values: tuple[Any, Any] = ("en", "de")) -> Case:
    rows = (
        {"title": "english", "field": values[0]},
        {"title": "deutsch", "field": values[1], "locale": "de", "of": 1},
        {"title": "alone", "field": values[0]},
    )
    made = [
        raw_type(name, {"field": localized_field(localized=each, kind=kind)}, localized=True)
        for each in (before, not before)
    ]
    return Case(name, made[0], made[1], rows, ())


CASES: tuple[Case, ...] = (
    Case("author", raw_type("author"), raw_type("author"), ({"title": "ann"}, {"title": "bob"}), ()),
    Case("label", raw_type("label"), raw_type("label"), ({"title": "red"}, {"title": "blue"}), ()),
    Case("drafts-on", raw_type("drafts-on"), raw_type("drafts-on", drafts=True), later=DRAFTS),
    Case("drafts-off", raw_type("drafts-off", drafts=True), raw_type("drafts-off"), DRAFTS),
    Case("locales-on", raw_type("locales-on"), raw_type("locales-on", localized=True)),
    Case("locales-off", raw_type("locales-off", localized=True), raw_type("locales-off"), GERMAN),
    Case("both-on", raw_type("both-on"), raw_type("both-on", drafts=True, localized=True)),
    Case(
        "both-off",
        raw_type("both-off", drafts=True, localized=True),
        raw_type("both-off"),
        (*GERMAN, {"title": "draft", "publishedAt": None}),
    ),
    Case(
        "drafts-for-locales",
        raw_type("drafts-for-locales", drafts=True),
        raw_type("drafts-for-locales", localized=True),
        DRAFTS,
    ),
    Case(
        "locales-for-drafts",
        raw_type("locales-for-drafts", localized=True),
        raw_type("locales-for-drafts", drafts=True),
        GERMAN,
    ),
    Case(
        "front-drafts-off",
        raw_type("front-drafts-off", drafts=True, kind="singleType"),
        raw_type("front-drafts-off", kind="singleType"),
        ({"title": "draft", "publishedAt": None},),
        (),
    ),
    Case(
        "front-drafts-on",
        raw_type("front-drafts-on", kind="singleType"),
        raw_type("front-drafts-on", drafts=True, kind="singleType"),
        ({"title": "front"},),
        (),
    ),
    Case(
        "front-locales-on",
        raw_type("front-locales-on", kind="singleType"),
        raw_type("front-locales-on", localized=True, kind="singleType"),
        ({"title": "front"},),
        (),
    ),
    Case(
        "front-locales-off",
        raw_type("front-locales-off", localized=True, kind="singleType"),
        raw_type("front-locales-off", kind="singleType"),
        ({"title": "front"}, {"title": "deutsch", "locale": "de"}),
        (),
    ),
    Case("to-single", raw_type("to-single"), raw_type("to-single", kind="singleType"), later=()),
    Case("removed", raw_type("removed", drafts=True), None, DRAFTS, ()),
    Case("other-table", raw_type("other-table"), raw_type("other-table", table="another_table"), later=()),
    Case("other-plural", raw_type("other-plural"), raw_type("other-plural", plural="pluralities")),
    localized_case("field-shared", before=True),
    localized_case("field-localized", before=False),
    localized_case("number-shared", before=True, kind="integer", values=(1, 2)),
    attribute_case("required-on", {"type": "string"}, {"type": "string", "required": True}, "a", None, later=("b",)),
    attribute_case("required-off", {"type": "string", "required": True}, {"type": "string"}, "a", later=(None,)),
    attribute_case("unique-on", {"type": "string"}, {"type": "string", "unique": True}, "a", "a", later=("b",)),
    attribute_case("private-on", {"type": "string"}, {"type": "string", "private": True}, "a", later=("b",)),
    attribute_case("private-off", {"type": "string", "private": True}, {"type": "string"}, "a", later=("b",)),
    attribute_case("default-on", {"type": "string"}, {"type": "string", "default": "d"}, "a", None, later=("b",)),
    attribute_case("default-new", None, {"type": "string", "default": "d"}, None, later=("b",)),
    attribute_case("to-text", {"type": "string"}, {"type": "text"}, "a", later=("b",)),
    attribute_case("to-string", {"type": "text"}, {"type": "string"}, "a", later=("b",)),
    attribute_case("to-email", {"type": "string"}, {"type": "email"}, "a@b.de", "none", later=("b@c.de",)),
    attribute_case(
        "value-removed",
        {"type": "enumeration", "enum": ["a", "b"]},
        {"type": "enumeration", "enum": ["a"]},
        "a",
        "b",
        later=("a",),
    ),
    attribute_case("attribute-removed", {"type": "string"}, None, "a", "b"),
    attribute_case("relation-removed", relation("manyToOne", "author"), None, 1, 2),
    attribute_case("one-to-many", relation("oneToOne", "author"), relation("oneToMany", "author"), 1, later=([2],)),
    attribute_case(
        "many-to-one", relation("manyToMany", "author"), relation("manyToOne", "author"), [2, 1], later=(2,)
    ),
    attribute_case("other-target", relation("manyToOne", "author"), relation("manyToOne", "label"), 2, later=(1,)),
    attribute_case(
        "other-component",
        {"type": "component", "component": "parts.first"},
        {"type": "component", "component": "parts.second"},
        {"text": "first"},
        later=({"text": "second"},),
    ),
    attribute_case(
        "not-repeated",
        {"type": "component", "component": "parts.first", "repeatable": True},
        {"type": "component", "component": "parts.first"},
        [{"text": "first"}, {"text": "more"}],
        later=({"text": "later"},),
    ),
    attribute_case(
        "zone-less",
        {"type": "dynamiczone", "components": ["parts.first", "parts.second"]},
        {"type": "dynamiczone", "components": ["parts.first"]},
        [{"__component": "parts.first", "text": "first"}, {"__component": "parts.second", "text": "second"}],
        later=([{"__component": "parts.first", "text": "later"}],),
    ),
    Case(
        "renamed",
        raw_type("renamed", {"field": TITLE}),
        raw_type("renamed", {"other": TITLE}),
        ({"title": "row", "field": "a"},),
        ({"title": "later", "other": "b"},),
    ),
)

COMPONENTS: Mapping[str, Raw] = {
    name: {
        "collectionName": f"components_parts_{name}s",
        "info": {"displayName": name},
        "options": {},
        "attributes": {"text": {"type": "string"}},
    }
    for name in ("first", "second")
}


@dataclass(frozen=True)
class Read:
    """A request for all entries of a type, as the public and as an editor."""

    name: str
    query: str = field(default="")


READS = (Read("live"), Read("all", "&publicationState=preview&locale=all"))


def read_path(raw: Raw, read: Read) -> str:
    """Return path and query of a read."""
    info = raw["info"]
    name = info["singularName"] if raw["kind"] == "singleType" else info["pluralName"]
    return f"/api/{name}?populate=*&sort=id&pagination[limit]=100{read.query}"


def files_of(phase: str) -> dict[str, Raw]:
    """Return the files below `src` at a time, `before` or `after`."""
    found: dict[str, Raw] = {f"components/parts/{name}.json": raw for name, raw in COMPONENTS.items()}
    for case in CASES:
        raw = getattr(case, phase)
        if raw is not None:
            found[f"api/{case.name}/content-types/{case.name}/schema.json"] = raw
    return found


def simplify(answer: Any) -> Any:
    """Return the relevant parts of a response: values without dates and ids, and whether they are published."""
    match answer:
        case {"data": data} if set(answer) <= {"data", "meta"}:
            return simplify(data)
        case {"id": _, "attributes": attributes}:
            return simplify(attributes)
        case dict():
            kept = {key: value for key, value in answer.items() if key not in ("id", "createdAt", "updatedAt", "meta")}
            return {key: value is not None if key == "publishedAt" else simplify(value) for key, value in kept.items()}
        case list():
            return [simplify(each) for each in answer]
        case _:
            return answer
