"""Names without permission are refused or left out, at every depth and on every path."""

from typing import Any

import pytest

from octavo.access.authorization.permissions import permission_set
from octavo.access.authorization.query_sanitizer import QuerySanitizer
from octavo.access.authorization.strictness import Strictness
from octavo.core.errors import InvalidParameter, ValidationError
from octavo.query.ast import Populate, Query
from octavo.query.params import read_query
from octavo.schema.attributes import Scalar
from octavo.schema.registry import Registry
from tests.models.bookshop import AUTHOR, BOOK, GENRE, NOTE, USER, VAULT

PUBLIC = frozenset({BOOK, AUTHOR, GENRE, NOTE})
EVERYBODY = PUBLIC | {VAULT, USER}
LENIENT, STRICT = Strictness(), Strictness(refuse_operators=True, refuse_populate=True)


def sanitize(
    registry: Registry, params: dict[str, Any], uid: str = BOOK, may: frozenset[str] = PUBLIC, how: Strictness = LENIENT
) -> Query:
    ability = permission_set(f"{one}.find" for one in may)
    return QuerySanitizer(registry, ability, how, given=params).sanitize(
        read_query(params), registry.content_types[uid]
    )


def filters(*path: str) -> dict[str, Any]:
    value: Any = "1"
    for name in reversed(path):
        value = {name: value}
    return {"filters": value}


# Names that no client can use: unknown, private, password; creators where the type does not show them; morphs and
# zones.
UNTOUCHABLE = [
    *("nope", "pin", "secretNote", "hiddenAuthor", "createdBy", "updatedBy", "extras", "created_by_id"),
    *("notesAbout.nope", "notesAbout.secret", "notesAbout.subject", "notesAbout.subjects"),
    *("author.token", "author.nope", "author.books.secretNote", "author.books.pin", "author.rival.rival.token"),
    *("details.barcode", "details.notes.passphrase", "chapters.footnote.passphrase", "cover.folderPath"),
    *("cover.folder", "cover.related", "localizations.secretNote", "title.x.y", "id.x", "sequel.prequel.pin"),
    *("__proto__", "constructor", "where", "t1", "publishedBy"),
]
UNREACHABLE = ["vaults", "vaults.code", "author.books.vaults.code", "details.vault.code", "editor", "editor.username"]
FULL = [
    *UNTOUCHABLE,
    "editor.password",
    "editor.resetPasswordToken",
    "author.createdBy.email",
    "author.createdBy.roles",
]


@pytest.mark.parametrize(
    "dotted", [path for path in [*UNTOUCHABLE, *UNREACHABLE] if not path.startswith(("title", "id."))]
)
def test_filters_without_permission_are_refused(registry: Registry, dotted: str) -> None:
    path = dotted.split(".")
    for wrapped in (
        filters(*path),
        filters(*path, "$eq"),
        filters("$not", *path),
        {"filters": {"$or": [{"id": "1"}, filters(*path)["filters"]]}},
        {"filters": {"$and": [{"$not": {"$or": [filters(*path, "$null")["filters"]]}}]}},
    ):
        with pytest.raises(InvalidParameter) as refused:
            sanitize(registry, wrapped)
        assert refused.value.message.removeprefix("Invalid parameter ") in path


@pytest.mark.parametrize("dotted", FULL)
def test_filters_and_sorts_by_secrets_are_refused(registry: Registry, dotted: str) -> None:
    path = dotted.split(".")
    if path[0] not in ("title", "id"):
        with pytest.raises(InvalidParameter):
            sanitize(registry, filters(*path), may=EVERYBODY)
    for sort in (dotted, f"{dotted}:desc", [dotted]):
        with pytest.raises(InvalidParameter):
            sanitize(registry, {"sort": sort}, may=EVERYBODY)


@pytest.mark.parametrize("dotted", UNREACHABLE)
def test_sorts_by_unreadable_fields_are_refused(registry: Registry, dotted: str) -> None:
    with pytest.raises(InvalidParameter):
        sanitize(registry, {"sort": dotted})


@pytest.mark.parametrize("sort", ["author", "cover", "details", "extras", "localizations", "notesAbout"])
def test_sorts_must_be_scalars(registry: Registry, sort: str) -> None:
    with pytest.raises(InvalidParameter):
        sanitize(registry, {"sort": sort})


@pytest.mark.parametrize(
    "field", ["nope", "pin", "secretNote", "author", "cover", "details", "extras", "createdBy", "a,b"]
)
def test_fields_must_be_visible_scalars(registry: Registry, field: str) -> None:
    for params in (
        {"fields": [field]},
        {"populate": {"sequel": {"fields": [field]}}},
        {"populate": {"author": {"populate": {"books": {"fields": ["title", field]}}}}},
    ):
        with pytest.raises(InvalidParameter) as refused:
            sanitize(registry, params)
        assert refused.value.message == f"Invalid parameter {field}"


ALLOWED = [
    {
        "filters": {
            "id": "1",
            "title": "x",
            "Größe": "1",
            "weird-name": "x",
            "author": {"books": {"genres": {"rank": "1"}}},
        }
    },
    {"filters": {"details": {"printedBy": {"name": "x"}}, "cover": {"name": "x"}, "localizations": {"locale": "fr"}}},
    {"sort": ["id", "author.name", "details.binding", "cover.name", "shelf.parent.name:desc"]},
    {"fields": ["id", "title", "Größe", "createdAt", "publishedAt", "locale"]},
]


@pytest.mark.parametrize("params", ALLOWED)
def test_permitted_parameters_do_not_change(registry: Registry, params: dict[str, Any]) -> None:
    assert sanitize(registry, params) == read_query(params)


def test_creators_can_be_named_where_the_type_shows_them(registry: Registry) -> None:
    params = {"filters": {"createdBy": {"firstname": "Ada"}}, "sort": "updatedBy.username"}
    assert sanitize(registry, params, AUTHOR) == read_query(params)


# Of several errors one is reported: the same one as in v4.

FIRST_FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"filters": {"secretNote": "1", "pin": "1", "nope": "1"}}, "nope"),
    ({"filters": {"secretNote": "1", "pin": "1", "extras": {"x": "1"}}}, "extras"),
    ({"filters": {"secretNote": "1", "vaults": {"code": "1"}, "pin": "1"}}, "pin"),
    ({"filters": {"createdBy": {"password": {"$eq": "1"}}}}, "password"),
    ({"filters": {"vaults": {"code": "1"}, "secretNote": {"$nope": "1"}}}, "secretNote"),
    ({"sort": "secretNote,pin,author,nope"}, "nope"),
    ({"sort": "secretNote,pin,author:asc"}, "asc"),
    ({"sort": "vaults.code,pin,author,extras"}, "extras"),
    ({"sort": "vaults.code,author,pin,secretNote"}, "secretNote"),
    ({"sort": "vaults.code,author,pin"}, "pin"),
    ({"sort": "vaults.code,author"}, "author"),
    ({"fields": ["pin", "secretNote", "author"]}, "author"),
    ({"fields": ["pin", "secretNote"]}, "secretNote"),
    ({"filters": {"nope3": "1"}, "sort": "nope2", "fields": ["nope"]}, "nope3"),
]


@pytest.mark.parametrize("params, told", FIRST_FAULTS)
def test_one_of_several_errors_is_reported(registry: Registry, params: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidParameter) as refused:
        sanitize(registry, params)
    assert refused.value.message == f"Invalid parameter {told}"


LEFT_OUT_WITH_FAULTS: list[dict[str, Any]] = [
    {"vaults": {"fields": ["nope"]}},
    {"vaults": {"sort": "nope"}},
    {"hiddenAuthor": {"filters": {"nope": "1"}}},
    {"hiddenAuthor": {"populate": {"books": {"fields": ["nope"]}}}},
    {"createdBy": {"fields": ["nope"]}},
]


@pytest.mark.parametrize("populate", LEFT_OUT_WITH_FAULTS)
def test_names_inside_left_out_relations_must_exist(registry: Registry, populate: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter) as refused:
        sanitize(registry, {"populate": populate})
    assert refused.value.message == "Invalid parameter nope"


@pytest.mark.parametrize("populate", [{"author": ["name"]}, {"author": {"populate": {"books": ["title"]}}}])
def test_invalid_forms_of_readable_relations_are_refused(registry: Registry, populate: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as refused:
        sanitize(registry, {"populate": populate})
    assert refused.value.message.startswith("Invalid populate: expected an object at populate.author")


@pytest.mark.parametrize("name", ["fields", "nope", "title"])
def test_invalid_forms_are_left_out_with_unreadable_names(registry: Registry, name: str) -> None:
    found = sanitize(registry, {"populate": {name: ["*"], "author": {"fields": ["*"], "populate": {name: ["*"]}}}})
    assert names(found.populate) == {"author": {}}


# Populate: unreadable relations are left out, at every depth.


def names(populates: tuple[Populate, ...]) -> dict[str, Any]:
    """Return the populated names as a tree, with the branches of zones and morphs by UID."""
    return {
        item.name: names(item.query.populate)
        if item.branches is None
        else {branch.component: names(branch.query.populate) for branch in item.branches}
        for item in populates
    }


EVERY_KIND: dict[str, Any] = {"shop.quote": {}, "shop.chapter": {}, "shop-odd.banner-2": {}}
POPULATED: list[tuple[Any, dict[str, Any]]] = [
    ("nope", {}),
    ("title", {}),
    ("vaults", {}),
    ("hiddenAuthor", {}),
    ("editor", {}),
    ("createdBy", {}),
    ("author.createdBy", {"author": {"createdBy": {}}}),
    ("author.token", {"author": {}}),
    ("author.books.vaults", {"author": {"books": {}}}),
    ("details.vault", {"details": {}}),
    ("details.printedBy", {"details": {"printedBy": {}}}),
    ("cover.related", {"cover": {"related": {uid: {} for uid in sorted(PUBLIC)}}}),
    ("cover.folder", {"cover": {}}),
    ("extras", {"extras": EVERY_KIND}),
    (
        {"extras": {"populate": "*"}},
        {
            "extras": {
                "shop.quote": {"source": {}},
                "shop.chapter": {"footnote": {}, "picture": {}, "genres": {}},
                "shop-odd.banner-2": {"picture": {}, "details": {}},
            }
        },
    ),
    (
        {"extras": {"on": {"shop.quote": {"populate": "source,internal,nope"}}}},
        {"extras": {"shop.quote": {"source": {}}}},
    ),
    (
        {"extras": {"on": {"shop-odd.banner-2": {"populate": {"details": {"populate": "vault,notes"}}}}}},
        {"extras": {"shop-odd.banner-2": {"details": {"notes": {}}}}},
    ),
    ({"extras": {"on": {"shop.nope": "true", "shop.details": "true"}}}, {"extras": {"shop.details": {}}}),
    ({"extras": {"on": "shop.quote"}}, {"extras": {}}),
    ("notesAbout.subject", {"notesAbout": {"subject": {uid: {} for uid in sorted(PUBLIC)}}}),
]


def sorted_tree(tree: dict[str, Any]) -> dict[str, Any]:
    return {name: sorted_tree(tree[name]) for name in sorted(tree)}


@pytest.mark.parametrize("populate, expected", POPULATED)
def test_populate_leaves_out_unreadable_relations(registry: Registry, populate: Any, expected: dict[str, Any]) -> None:
    found = names(sanitize(registry, {"populate": populate}).populate)
    assert sorted_tree(found) == sorted_tree(expected)


def test_populating_everything_includes_readable_relations(registry: Registry) -> None:
    found = set(names(sanitize(registry, {"populate": "*"}).populate))
    everything = {
        name for name, item in registry.content_types[BOOK].attributes.items() if not isinstance(item, Scalar)
    }
    assert everything - found == {"vaults", "editor", "hiddenAuthor", "createdBy", "updatedBy"}
    assert found < everything


def test_morph_targets_are_readable_types(registry: Registry) -> None:
    found = sanitize(registry, {"populate": "subject,subjects"}, NOTE, may=frozenset({NOTE, BOOK}))
    assert names(found.populate) == {name: {BOOK: {}, NOTE: {}} for name in ("subject", "subjects")}
    nobody = sanitize(registry, {"populate": "subject"}, NOTE, may=frozenset())
    assert names(nobody.populate) == {"subject": {}}


def test_on_selects_the_types_of_lists_only(registry: Registry) -> None:
    chosen = {"on": {NOTE: {"populate": "subject"}}}
    found = sanitize(registry, {"populate": {"subject": chosen, "subjects": chosen}}, NOTE, may=frozenset({NOTE, BOOK}))
    inside: dict[str, Any] = {"subject": {BOOK: {}, NOTE: {}}}
    assert names(found.populate) == {"subject": {BOOK: {}, NOTE: inside}, "subjects": {NOTE: inside}}


NESTED_REFUSALS = [
    {"author": {"filters": {"token": "1"}}},
    {"author": {"sort": "token"}},
    {"author": {"populate": {"books": {"filters": {"vaults": {"code": "1"}}}}}},
    {"chapters": {"filters": {"footnote": {"passphrase": "1"}}}},
    {"details": {"fields": ["barcode"]}},
    {"cover": {"filters": {"folderPath": "1"}}},
    {"cover": {"filters": {"related": "1"}}},
    {"extras": {"on": {"shop.quote": {"fields": ["internal"]}}}},
    {"extras": {"on": {"shop.quote": {"filters": {"source": {"token": "1"}}}}}},
    {"extras": {"on": {"shop.quote": {"populate": {"source": {"filters": {"token": "x"}}}}}}},
    {"extras": {"fields": ["text"]}},
    {"localizations": {"filters": {"secretNote": "1"}}},
]


@pytest.mark.parametrize("populate", NESTED_REFUSALS)
def test_parameters_inside_populate_have_the_same_rules(registry: Registry, populate: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter):
        sanitize(registry, {"populate": populate}, may=EVERYBODY - {VAULT})


# Meaningless names: ignored or refused, as the compatibility rules say.

MEANINGLESS = [
    {"filters": {"title": {"$nope": "1"}}},
    {"filters": {"title": {"nope": "1"}}},
    {"filters": {"title": {"$EQ": "1"}}},
    {"filters": {"$or": [{"title": {"eq": "1"}}]}},
    {"filters": {"author": {"name": {"$nope": "1"}}}},
]


@pytest.mark.parametrize("params", MEANINGLESS)
def test_unknown_operators_are_ignored_or_refused(registry: Registry, params: dict[str, Any]) -> None:
    assert sanitize(registry, params).filters is None
    with pytest.raises(ValidationError) as refused:
        sanitize(registry, params, how=STRICT)
    assert refused.value.message.startswith("Unknown operator ")


@pytest.mark.parametrize("name", ["id", "author", "author.books", "cover", "details", "author.id"])
@pytest.mark.parametrize("operator", ["$nope", "$EQ", "$or.$nope", "$not.$nope"])
def test_unknown_operators_are_refused_outside_of_scalars(registry: Registry, name: str, operator: str) -> None:
    with pytest.raises(InvalidParameter):
        sanitize(registry, filters(*name.split("."), *operator.split(".")))


def test_an_ignored_operator_takes_nothing_else_with_it(registry: Registry) -> None:
    params = {"filters": {"title": {"$nope": "1", "$eq": "x"}, "pages": {"$nope": "1"}}}
    assert sanitize(registry, params).filters == read_query({"filters": {"title": {"$eq": "x"}}}).filters


@pytest.mark.parametrize(
    "populate", ["nope", "title", "author.nope", ["nope"], {"nope": "true"}, "secretNote", "hiddenAuthor"]
)
def test_unknown_names_in_populate_are_dropped_or_refused(registry: Registry, populate: Any) -> None:
    sanitize(registry, {"populate": populate})
    with pytest.raises(InvalidParameter):
        sanitize(registry, {"populate": populate}, how=STRICT)


def test_zones_accept_names_that_some_components_have(registry: Registry) -> None:
    params = {"populate": {"extras": {"populate": "source"}}}
    found = names(sanitize(registry, params, how=STRICT).populate)
    assert found == {"extras": {**EVERY_KIND, "shop.quote": {"source": {}}}}
