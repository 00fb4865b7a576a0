"""Surrogate keys: each change of a response purges one of its tags."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from octavo.settings import load_settings
from octavo.settings.problems import SettingsError
from tests.api.http.asgi import Answer, call
from tests.models.bookshop import AUTHOR, BOOK, FULL_TOKEN, GENRE, SECRETS
from tests.models.fixtures import open_copy
from tests.models.site import Site
from tests.models.templates import Copy

pytestmark = pytest.mark.anyio

KEY = "surrogate-key"
SHOP = "a-shop-with-quite-a-long-name-"
KEYED = {"OCTAVO_API__CACHING__SURROGATE_KEYS__HEADERS": "Surrogate-Key", "OCTAVO_API__CACHING__ETAGS": "true"}
TOLD = {"OCTAVO_API__CACHING__PURGE__CACHES": '{"front": {"kind": "purge", "url": "http://127.0.0.1:9"}}'}

SHOWN = (
    "books",
    "books?publicationState=preview&locale=all&pagination[pageSize]=100",
    "books?populate=author,genres&pagination[pageSize]=100",
    "books?filters[author][name][$contains]=a&fields[0]=title",
    "books?sort=author.name,shelf.parent.name:desc&fields[0]=title",
    "books?filters[chapters][footnote][text][$null]=true",
    "books?populate[extras][populate]=*&populate=extras",
    "authors?populate[books][fields][0]=title",
    "authors?populate[books][count]=true&pagination[pageSize]=3",
    "genres?populate=children,parent",
    "notes?populate=subject,subjects",
    "imprint?populate=*",
    "front-page?populate=picks",
    "upload/files",
    *(
        f"books/{number}{query}"
        for number in (1, 2, 3, 7, 12, 21)
        for query in (
            "",
            "?populate=author",
            "?populate=cover,gallery",
            "?populate=chapters,details,extras",
            "?populate=prequel",
            "?populate=sequel",
            "?populate=localizations",
            "?populate=translators,shelf",
            "?populate=notesAbout,firstNote,mentions",
            "?populate=genres.books",
            "?populate=*",
        )
    ),
    *(f"authors/{number}{query}" for number in (1, 2, 3) for query in ("", "?populate=books", "?populate=rival")),
    *(f"genres/{number}?populate={name}" for number in (1, 2) for name in ("children", "parent", "books")),
)

WRITES: tuple[tuple[str, str, Any], ...] = (
    ("PUT", "books/1", {"title": "other"}),
    ("PUT", "books/2", {"author": 3}),
    ("PUT", "authors/1", {"books": [2, 12]}),
    ("PUT", "books/3", {"prequel": 1}),
    ("PUT", "books/7", {"prequel": 1}),
    ("PUT", "books/12", {"sequel": 7}),
    ("PUT", "genres/2", {"children": [1, 3], "name": "moved"}),
    ("PUT", "genres/1", {"books": [1, 21], "parent": None}),
    ("PUT", "books/21", {"publishedAt": None, "genres": [2], "cover": 1, "gallery": [2, 3]}),
    ("PUT", "books/21", {"publishedAt": "2020-01-01T00:00:00.000Z", "translators": [1]}),
    ("PUT", "books/2", {"notesAbout": [1, 2], "firstNote": 3}),
    ("PUT", "books/1", {"notesAbout": [1], "mentions": [2]}),
    ("PUT", "notes/1", {"text": "said"}),
    ("PUT", "authors/2", {"rival": 3, "avatar": 2}),
    ("POST", "books/1/localizations", {"title": "autre", "locale": "fr"}),
    ("PUT", "books/1?populate=localizations", {"pages": 77, "price": 3.5}),
    ("PUT", "front-page", {"picks": [1, 2]}),
    ("PUT", "imprint", {"details": None}),
    ("POST", "authors", {"name": "new", "books": [1, 2]}),
    ("POST", "genres", {"name": "new", "children": [2]}),
    ("DELETE", "upload/files/1", None),
    ("DELETE", "authors/3", None),
    ("DELETE", "books/12", None),
    ("DELETE", "genres/2", None),
    ("DELETE", "notes/2", None),
)

CONTROLLER = """
from octavo import Controller


class GenreController(Controller):
    async def find(self, request):
        return await super().find(request)
"""
HOOK = """
async def before_find_one(event):
    pass
"""


@pytest.fixture
async def keyed(anyio_backend: str, tmp_path: Path, sqlite_bookshop_template: Path) -> AsyncIterator[Site]:
    """A bookshop whose responses have tags, on SQLite because the database does not affect them."""
    site = await open_copy(tmp_path, Copy(file=sqlite_bookshop_template), {**KEYED, **TOLD})
    yield site
    await site.database.close()


async def ask(site: Site, method: str, path: str, data: Any = None, token: str | None = FULL_TOKEN) -> Answer:
    headers = [("Content-Type", "application/json")]
    if token:
        headers.append(("Authorization", f"Bearer {token}"))
    body = data if "localizations" in path and method == "POST" else {"data": data}
    chunks = () if data is None else (json.dumps(body).encode(),)
    return await call(site.octavo.asgi, method, f"/api/{path}", headers, chunks)


async def purged(site: Site) -> set[str]:
    """Return the tags in the queue of purges, which nothing processes here."""
    rows = await site.database.fetch_all("SELECT payload FROM octavo_outbox WHERE topic = 'purge'")
    return {tag for row in rows for tag in orjson.loads(row[0])["tags"]}


def tags(answer: Answer) -> set[str]:
    return set(answer.headers[KEY].split())


async def test_whatever_changes_an_answer_purges_a_tag_of_it(keyed: Site) -> None:
    shown = {path: await keyed.get(f"/api/{path}") for path in SHOWN}
    assert {answer.status for answer in shown.values()} <= {200, 404}
    spared = 0
    for method, path, data in WRITES:
        await keyed.database.execute("DELETE FROM octavo_outbox")
        written = await ask(keyed, method, path, data)
        assert written.status == 200, (method, path, written.body)
        gone = await purged(keyed)
        for read, before in shown.items():
            now = await keyed.get(f"/api/{read}")
            if before.status == 200 and (now.status, now.body) != (200, before.body):
                assert tags(before) & gone, (method, path, data, read, sorted(gone))
            elif before.status == 200 and not tags(before) & gone:
                spared += 1
            shown[read] = now
    assert spared > len(SHOWN) * len(WRITES) / 4  # changes of single entries and of other types purge little


async def test_the_tags_of_a_response(keyed: Site) -> None:
    expected = {
        "books": f"all {BOOK}",
        "books?populate=author,genres": f"all {AUTHOR} {BOOK} {GENRE}",
        "books?filters[author][name][$contains]=a": f"all {AUTHOR} {BOOK}",
        "books?sort=shelf.name": f"all {BOOK} {GENRE}",
        "books/1": f"all {BOOK}",  # with its localizations, which are books too
        "authors/1": f"all {AUTHOR}:one {AUTHOR}:1",
        "authors/1?populate=avatar": f"all plugin::upload.file {AUTHOR}:one {AUTHOR}:1",
        "authors/1?populate=books": f"all {AUTHOR} {BOOK}",  # another author can take over a book
        "genres/1e0?populate=vault": f"all {GENRE}:one {GENRE}:1",
        "genres/1?populate=parent": f"all {GENRE}",
        "imprint": "all api::imprint.imprint",
        "upload/files": "all any",
    }
    named = {path: (await keyed.get(f"/api/{path}")).headers[KEY] for path in expected}
    assert named == expected


async def test_only_anonymous_responses_have_tags_and_are_cacheable(keyed: Site) -> None:
    mine = await keyed.get("/api/books", FULL_TOKEN)
    assert (mine.headers.get(KEY), mine.headers["cache-control"]) == (None, "private, no-cache")
    missing, refused = await keyed.get("/api/books/999"), await keyed.get("/api/vaults")
    assert [(one.status, KEY in one.headers) for one in (missing, refused)] == [(404, False), (403, False)]
    assert {one.headers["cache-control"] for one in (missing, refused)} == {"private, no-store"}  # nothing purges them
    listed = await keyed.get("/graphql?query={books{data{id}}}")
    assert (listed.status, KEY in listed.headers, listed.headers["cache-control"]) == (200, False, "private, no-store")
    kept = await keyed.get("/api/books")
    assert kept.headers["vary"] == "Origin, Authorization"  # one header; several would be joined here
    again = await call(keyed.octavo.asgi, "GET", "/api/books", [("If-None-Match", kept.headers["etag"])])
    assert (again.status, again.headers[KEY]) == (304, kept.headers[KEY])


async def test_changes_of_permissions_purge_everything(keyed: Site) -> None:
    role = {"name": "Readers", "description": "", "permissions": {}}
    headers = [("Content-Type", "application/json"), ("Authorization", f"Bearer {FULL_TOKEN}")]
    path = "/api/users-permissions/roles"
    answer = await call(keyed.octavo.asgi, "POST", path, headers, (json.dumps(role).encode(),))
    assert (answer.status, await purged(keyed)) == (200, {"all"})


async def test_no_headers_if_disabled(warm: Site) -> None:
    answer = await warm.get("/api/books/1")
    missing = await warm.get("/api/books/999")
    assert not {KEY, "cache-tag", "cache-control"} & {*answer.headers, *missing.headers}


@pytest.mark.parametrize(
    "given, place",
    [
        ({"HEADERS": "Surrogate Key"}, "headers"),
        ({"PREFIX": "a b"}, "prefix"),
        ({"MAX_SIZE": "10"}, "maxSize"),
    ],
)
def test_invalid_settings_stop_the_start(tmp_path: Path, given: dict[str, str], place: str) -> None:
    named = {f"OCTAVO_API__CACHING__SURROGATE_KEYS__{key}": value for key, value in given.items()}
    with pytest.raises(SettingsError, match=rf"surrogateKeys\.{place}"):
        load_settings(tmp_path, {**SECRETS, **named})


async def test_headers_have_the_form_their_cache_wants_and_an_end(
    anyio_backend: str, tmp_path: Path, sqlite_bookshop_template: Path
) -> None:
    settings = {
        "OCTAVO_API__CACHING__SURROGATE_KEYS__HEADERS": "Cache-Tag, xkey",
        "OCTAVO_API__CACHING__SURROGATE_KEYS__PREFIX": SHOP,
        "OCTAVO_API__CACHING__SURROGATE_KEYS__MAX_SIZE": "256",
    }
    site = await open_copy(tmp_path, Copy(file=sqlite_bookshop_template), settings)
    try:
        reported = (await site.get("/api/authors/3?populate=avatar")).headers
        several = f"{SHOP}plugin::upload.file,{SHOP}{AUTHOR}:one,{SHOP}{AUTHOR}:3"
        assert reported["cache-tag"] == f"{SHOP}all,{several}"
        assert reported["xkey"] == reported["cache-tag"].replace(",", " ")
        long = (await site.get("/api/books/3?populate=*")).headers
        assert (long["cache-tag"], long["xkey"]) == (f"{SHOP}all,{SHOP}any", f"{SHOP}all {SHOP}any")
    finally:
        await site.database.close()


async def test_responses_involving_project_code_depend_on_everything(
    anyio_backend: str, tmp_path: Path, sqlite_bookshop_template: Path
) -> None:
    code = tmp_path / "src/api"
    (code / "genre/controllers").mkdir(parents=True)
    (code / "genre/controllers/genre.py").write_text(CONTROLLER)
    (code / "author/content-types/author").mkdir(parents=True)
    (code / "author/content-types/author/lifecycles.py").write_text(HOOK)
    site = await open_copy(tmp_path, Copy(file=sqlite_bookshop_template), KEYED)
    try:
        await site.octavo.site.register()
        named = {path: (await site.get(f"/api/{path}")).headers[KEY] for path in ("genres", "genres/1", "authors/1")}
        assert named == {"genres": "all any", "genres/1": f"all {GENRE}:one {GENRE}:1", "authors/1": "all any"}
    finally:
        await site.database.close()
