"""ContentReads: the statement of a request for a caller, its values, and its executor."""

import json
from typing import Any

import pytest

from octavo.access.authorization.permissions import EVERYTHING, PermissionSet, permission_set
from octavo.access.authorization.strictness import Strictness
from octavo.api.http.query_string import parse_query_string
from octavo.content.controllers.reading import ContentReads
from octavo.content.reader import EntryReader, PreparedRead
from octavo.core.errors import InvalidParameter, NotFoundError
from octavo.query.answer import Object, Value
from octavo.query.ast import ALL_LOCALES, Page, PublicationState, Query
from octavo.query.params import PageLimits, read_query
from octavo.query.plan.nodes import Slot
from octavo.query.request import By, Drafts, Form, Projection, ReadRequest
from tests.models.bookshop import AUTHOR, BOOK, GENRE
from tests.models.site import Site

pytestmark = pytest.mark.anyio
READER = permission_set([f"{uid}.{action}" for uid in (BOOK, AUTHOR, GENRE) for action in ("find", "findOne")])
EDITOR = permission_set([*READER.actions, f"{GENRE}.update"])
NAME = Object((("n", Value("name")),))
PREVIEW = Query(publication_state=PublicationState.PREVIEW)


def reads_of(site: Site, *, drafts_by_id: bool = True) -> ContentReads:
    registry = site.octavo.site.registry
    return ContentReads(registry, EntryReader(site.database, registry), Strictness(), drafts_by_id=drafts_by_id)


def prepare(
    reads: ContentReads, uid: str, asked: str | Query, permissions: PermissionSet | None = READER, **how: Any
) -> PreparedRead:
    query = asked if isinstance(asked, Query) else read_query(parse_query_string(asked), PageLimits())
    return reads.prepare(ReadRequest(content_type=reads.registry.content_types[uid], query=query, **how), permissions)


@pytest.mark.parametrize(
    "uid, asked, how, values, page",
    [
        (GENRE, "", {}, (25,), Page(limit=25, number=1)),
        (GENRE, "filters[name]=a&pagination[start]=4&pagination[limit]=3", {}, ("a", 3, 4), Page(start=4, limit=3)),
        (BOOK, "", {"locale": "fr"}, ("fr", 25), Page(limit=25, number=1)),
        (BOOK, "locale=en", {"locale": "fr"}, ("en", 25), Page(limit=25, number=1)),
        (BOOK, "filters[title]=x&sort=title&_q=y&locale=en", {"by": By.ID, "locale": "fr"}, (Slot.ID,), None),
        (GENRE, "filters[name]=a&sort=nope&populate=nope", {"by": By.COUNT}, ("a", 0), Page(limit=0)),
        (GENRE, "filters[name]=a", {"projection": NAME}, ("a", 25), Page(limit=25, number=1)),
        (GENRE, Query(), {"by": By.ID, "projection": NAME}, (Slot.ID,), None),
    ],
)
async def test_values_and_pages(
    sqlite_bookshop: Site, uid: str, asked: str | Query, how: dict[str, Any], values: tuple[object, ...], page: Page
) -> None:
    prepared = prepare(reads_of(sqlite_bookshop), uid, asked, **how)
    assert (prepared.values, prepared.page) == (values, page)


TEXTS_BY_ID = {
    "id": (
        {"by": By.ID, "projection": Form.ID},
        "SELECT CAST(CASE WHEN t1.id IS NULL THEN 'null' ELSE concat('\"', t1.id, '\"') END AS BLOB) "
        'FROM "genres" t1 WHERE (t1.id = ?1 AND t1."published_at" IS NOT NULL) ORDER BY t1.id LIMIT 1',
    ),
    "any by id": (
        {"by": By.ID, "projection": Form.ID, "drafts": Drafts.ANY},
        "SELECT CAST(CASE WHEN t1.id IS NULL THEN 'null' ELSE concat('\"', t1.id, '\"') END AS BLOB) "
        'FROM "genres" t1 WHERE t1.id = ?1 ORDER BY t1.id LIMIT 1',
    ),
}


@pytest.mark.parametrize("how, text", TEXTS_BY_ID.values(), ids=list(TEXTS_BY_ID))
async def test_texts(sqlite_bookshop: Site, how: dict[str, Any], text: str) -> None:
    assert prepare(reads_of(sqlite_bookshop), GENRE, "", **how).statement.text == text


STATES = [
    # drafts, query, permissions, rule draftsById visible?, are drafts chosen?
    (Drafts.ASKED, Query(), READER, True, False),
    (Drafts.ASKED, PREVIEW, READER, True, True),
    (Drafts.BY_ID, Query(), READER, True, True),
    (Drafts.ANY, Query(), READER, True, True),
    (Drafts.ASKED, PREVIEW, READER, False, False),
    (Drafts.ASKED, PREVIEW, EDITOR, False, True),
    (Drafts.BY_ID, Query(), EDITOR, False, False),
    (Drafts.BY_ID, PREVIEW, EDITOR, False, True),
    (Drafts.BY_ID, PREVIEW, READER, False, False),
    (Drafts.ANY, Query(), READER, False, True),
]


@pytest.mark.parametrize("drafts, query, permissions, visible, shown", STATES)
async def test_selected_publication_states(
    sqlite_bookshop: Site, drafts: Drafts, query: Query, permissions: PermissionSet, visible: bool, shown: bool
) -> None:
    reads = reads_of(sqlite_bookshop, drafts_by_id=visible)
    prepared = prepare(reads, GENRE, query, permissions, by=By.ID, projection=Form.ID, drafts=drafts)
    assert ("published_at" not in prepared.statement.text) is shown


@pytest.mark.parametrize("projection", [Form.REST, Form.FLAT])
async def test_queries_of_clients_are_sanitized_and_internal_ones_are_not(
    sqlite_bookshop: Site, projection: Projection
) -> None:
    reads = reads_of(sqlite_bookshop)
    with pytest.raises(InvalidParameter):
        prepare(reads, BOOK, "filters[secretNote]=x", projection=projection)
    own = prepare(reads, BOOK, "filters[secretNote]=x", None, projection=projection)
    assert own.values == ("x", 25)


async def test_equal_requests_with_equal_permissions_share_a_statement(sqlite_bookshop: Site) -> None:
    reads = reads_of(sqlite_bookshop)
    texts = {id(prepare(reads, BOOK, "populate=author,vaults", who).statement) for who in (READER, EDITOR)}
    assert len(texts) == 1
    assert id(prepare(reads, BOOK, "populate=author,vaults", EVERYTHING).statement) not in texts


async def test_executing_reads(bookshop: Site) -> None:
    reads = reads_of(bookshop)
    entries, total = await reads.find(prepare(reads, AUTHOR, "sort=id&pagination[limit]=2", projection=NAME))
    assert (json.loads(entries), total) == ([{"n": "author moon"}, {"n": "author river"}], 7)
    assert await reads.count(prepare(reads, AUTHOR, "filters[id][$gt]=4", by=By.COUNT)) == 3
    by_id = prepare(reads, AUTHOR, Query(), by=By.ID, projection=NAME)
    assert json.loads(await reads.find_one(by_id.bind(id=2))) == {"n": "author river"}
    assert await reads.find_any(by_id.bind(id=99)) is None
    with pytest.raises(NotFoundError):
        await reads.find_one(by_id.bind(id=99))


async def test_single_types(bookshop: Site) -> None:
    reads, registry = reads_of(bookshop), bookshop.octavo.site.registry
    front_page, imprint = registry.content_types["api::front-page.front-page"], "api::imprint.imprint"
    ids = [await reads.single_id(front_page, Query(locales=(code,)), "en", Drafts.ANY) for code in ("en", "fr", "xx")]
    assert await reads.single_id(front_page, Query(), "en", Drafts.ANY) == ids[0]
    assert (len({*ids}), ids[2]) == (3, None)
    assert await reads.any_single_id(front_page) is not None
    one = prepare(reads, imprint, Query(), None, by=By.SINGLE, projection=Form.ID)
    assert await reads.find_any(one) == b'"1"'
    whole = prepare(reads, front_page.uid, Query(locales=(ALL_LOCALES,)), None, by=By.SINGLE)
    assert len(json.loads(await reads.find_one(whole))) > 1
