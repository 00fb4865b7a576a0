"""The joins from an entry along each kind of attribute, in order."""

from itertools import count

import pytest

from octavo.query.plan.filters import plan_step
from octavo.query.plan.planning import Planning
from octavo.query.sql.dialects.sqlite import SQLITE
from octavo.query.sql.read.joins import join_step
from octavo.schema.registry import Registry
from tests.models.bookshop import AUTHOR, BOOK, GENRE

STEPS: list[tuple[str, str, str, str, tuple[str, ...]]] = [
    (BOOK, "author", '"books_author_links" t1 JOIN "authors" t2 ON t2.id = t1."author_id"', 't1."book_id"', ()),
    (AUTHOR, "books", '"books_author_links" t1 JOIN "books" t2 ON t2.id = t1."book_id"', 't1."author_id"', ()),
    (BOOK, "genres", '"books_genres_links" t1 JOIN "genres" t2 ON t2.id = t1."genre_id"', 't1."book_id"', ()),
    (GENRE, "books", '"books_genres_links" t1 JOIN "books" t2 ON t2.id = t1."book_id"', 't1."genre_id"', ()),
    (BOOK, "prequel", '"books_prequel_links" t1 JOIN "books" t2 ON t2.id = t1."inv_book_id"', 't1."book_id"', ()),
    (BOOK, "sequel", '"books_prequel_links" t1 JOIN "books" t2 ON t2.id = t1."book_id"', 't1."inv_book_id"', ()),
    (GENRE, "parent", '"genres_parent_links" t1 JOIN "genres" t2 ON t2.id = t1."inv_genre_id"', 't1."genre_id"', ()),
    (GENRE, "children", '"genres_parent_links" t1 JOIN "genres" t2 ON t2.id = t1."genre_id"', 't1."inv_genre_id"', ()),
    (
        BOOK,
        "localizations",
        '"books_localizations_links" t1 JOIN "books" t2 ON t2.id = t1."inv_book_id"',
        't1."book_id"',
        (),
    ),
    (BOOK, "editor", '"books_editor_links" t1 JOIN "up_users" t2 ON t2.id = t1."user_id"', 't1."book_id"', ()),
    (
        BOOK,
        "cover",
        "files_related_morphs t1 JOIN files t2 ON t2.id = t1.file_id",
        "t1.related_id",
        ("t1.related_type = 'api::book.book'", "t1.field = 'cover'"),
    ),
    (
        BOOK,
        "chapters",
        '"books_components" t1 JOIN "components_shop_chapters" t2 ON t2.id = t1.component_id',
        "t1.entity_id",
        ("t1.field = 'chapters'", "t1.component_type = 'shop.chapter'"),
    ),
    (BOOK, "notesAbout", '"notes" t1', "t1.target_id", ("t1.target_type = 'api::book.book'",)),
    (
        BOOK,
        "mentions",
        '"notes_subjects_morphs" t2 JOIN "notes" t1 ON t1.id = t2."note_id"',
        't2."subjects_id"',
        ("t2.\"subjects_type\" = 'api::book.book'", "t2.field = 'mentions'"),
    ),
    (AUTHOR, "createdBy", '"admin_users" t1', "t1.id", ()),
]


@pytest.mark.parametrize("uid, name, tables, key, conditions", STEPS)
def test_joins(registry: Registry, uid: str, name: str, tables: str, key: str, conditions: tuple[str, ...]) -> None:
    owner, numbers = registry.content_types[uid], count(1)
    step = plan_step(owner, owner.attributes[name], Planning(registry))
    join = join_step(step, "t0", registry, SQLITE, lambda: f"t{next(numbers)}")
    source = 't0."created_by_id"' if name == "createdBy" else "t0.id"
    assert (join.source, join.tables, join.key, join.conditions) == (source, tables, key, conditions)


@pytest.mark.parametrize("name", ["extras", "title"])
def test_steps_need_a_relation_to_one_type(registry: Registry, name: str) -> None:
    book = registry.content_types[BOOK]
    with pytest.raises(TypeError):
        plan_step(book, book.attributes[name], Planning(registry))
