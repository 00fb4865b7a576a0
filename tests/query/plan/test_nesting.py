"""The depth of nested lists, and the path to the innermost one."""

import pytest

from octavo.access.authorization.permissions import EVERYTHING
from octavo.access.authorization.query_sanitizer import QuerySanitizer
from octavo.api.http.query_string import parse_query_string
from octavo.query.params import PageLimits, read_query
from octavo.query.plan.nesting import Nesting, nesting
from octavo.query.plan.read import plan_read
from octavo.query.request import By, ReadRequest
from octavo.schema.registry import Registry
from tests.models.bookshop import AUTHOR, BOOK

CASES = [
    (AUTHOR, "", Nesting(1)),
    (AUTHOR, "populate=avatar,rival", Nesting(1)),
    (AUTHOR, "populate=books", Nesting(2, ("books",))),
    (AUTHOR, "populate=books.author,rival.books", Nesting(2, ("books",))),
    (AUTHOR, "populate=books.author.books", Nesting(3, ("books", "author", "books"))),
    (AUTHOR, "populate=books.chapters,books.genres", Nesting(3, ("books", "chapters"))),
    (AUTHOR, "populate=books.author,books.genres.children", Nesting(4, ("books", "genres", "children"))),
    (AUTHOR, "populate=books.extras.details.notes", Nesting(4, ("books", "extras", "details", "notes"))),
    (AUTHOR, "populate[books][count]=true", Nesting(1)),
    (BOOK, "", Nesting(2, ("localizations",))),
    (BOOK, "populate=mentions.subjects", Nesting(3, ("mentions", "subjects"))),
]


@pytest.mark.parametrize("uid, query, expected", CASES, ids=[f"{uid} {query}" for uid, query, _ in CASES])
def test_nesting(registry: Registry, uid: str, query: str, expected: Nesting) -> None:
    content_type = registry.content_types[uid]
    asked = read_query(parse_query_string(query), PageLimits())
    sanitized = QuerySanitizer(registry, EVERYTHING).sanitize(asked, content_type)
    found = nesting(plan_read(ReadRequest(content_type=content_type, query=sanitized), registry).plan)
    assert (found.lists, found.path) == (expected.lists, expected.path)
    of_one = nesting(plan_read(ReadRequest(content_type=content_type, query=sanitized, by=By.ID), registry).plan)
    assert of_one == Nesting(expected.lists - 1, expected.path)
