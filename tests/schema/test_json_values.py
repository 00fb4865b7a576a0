"""The table of JSON types of attributes, and iteration over definitions as callers see them."""

from octavo.schema.json_values import (
    SCALAR_JSON,
    Json,
    attributes_in_responses,
    populatable_attributes,
    reached,
    with_drafts,
    written,
)
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import SCALAR_TYPES
from tests.models.bookshop import AUTHOR, BOOK


def test_every_type_word_has_a_row() -> None:
    assert SCALAR_JSON.keys() == SCALAR_TYPES.keys()


def test_private_and_secret_attributes_are_not_shown(registry: Registry) -> None:
    book = registry.definition(BOOK)
    shown = [attribute.name for attribute in attributes_in_responses(book)]
    assert {"pin", "secretNote"}.isdisjoint(shown)
    assert {"title", "isbn", "weird-name", "createdAt", "publishedAt", "locale"} <= set(shown)
    populated = [attribute.name for attribute in populatable_attributes(book, registry)]
    assert {"hiddenAuthor", "createdBy"}.isdisjoint(populated)
    assert {"author", "cover", "extras", "notesAbout", "localizations"} <= set(populated)


def test_attributes_of_a_body(registry: Registry) -> None:
    book = registry.definition(BOOK)
    for_callers = {given.attribute.name for given in written(book, private=False)}
    assert {"pin", "publishedAt"} <= for_callers
    assert {"createdAt", "createdBy", "secretNote", "hiddenAuthor"}.isdisjoint(for_callers)
    assert {given.attribute.name for given in written(book, private=True)} - for_callers == {
        "secretNote",
        "hiddenAuthor",
    }


def test_drafts_reach_the_components_below_them(registry: Registry) -> None:
    drafts = with_drafts(registry)
    assert BOOK in drafts
    assert AUTHOR not in drafts
    assert {"shop.details", "shop.footnote", "shop.quote"} <= drafts


def test_files_and_users_are_reached_through_relations(registry: Registry) -> None:
    found = [item.uid for item in reached(registry, [AUTHOR])]
    assert found == sorted(found)
    assert {"plugin::upload.file", "plugin::users-permissions.user", "api::note.note"} <= set(found)
    assert "plugin::upload.folder" not in found


def test_large_integers_are_strings() -> None:
    assert SCALAR_JSON["biginteger"].shown is SCALAR_JSON["timestamp"].shown is Json.DIGITS
