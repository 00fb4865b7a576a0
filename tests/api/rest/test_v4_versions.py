"""Compatibility rules that depend on the version, compared with responses of older versions of v4."""

from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

import pytest

from octavo.settings.compat import RULES
from tests.api.rest.conftest import OpenClub
from tests.models.bookshop import FULL_TOKEN
from tests.models.club import NEVER
from tests.models.site import Site, another

pytestmark = pytest.mark.anyio

OLDEST = (4, 12, 7)


@pytest.fixture(scope="module")
async def older(anyio_backend: str, bookshop: Site) -> AsyncIterator[Site]:
    """The bookshop as v4 4.12.7 served it."""
    async with another(bookshop, **{name: rule.under("v4", OLDEST) for name, rule in RULES.items()}) as site:
        yield site


async def attributes(site: Site, query: str, path: str = "books/1") -> dict[str, Any]:
    answer = await site.get(f"/api/{path}?{query}", FULL_TOKEN)
    assert answer.status == 200, answer.body
    found: dict[str, Any] = answer.json["data"]["attributes"]
    return found


async def ids(site: Site, query: str) -> list[int]:
    answer = await site.get(f"/api/books?sort=id&fields=title&{query}", FULL_TOKEN)
    assert answer.status == 200, answer.body
    return [one["id"] for one in answer.json["data"]]


async def refused(site: Site, target: str) -> str:
    answer = await site.get(target, FULL_TOKEN)
    assert answer.status == 400, answer.body
    message: str = answer.json["error"]["message"]
    return message


@pytest.mark.parametrize(
    "query", ["populate[author][populate]=*&populate=genres", "populate[author]=true&populate=genres"]
)
async def test_populate_accepts_a_value_with_nested_parameters(bookshop: Site, older: Site, query: str) -> None:
    for site in (bookshop, older):
        assert {"author", "genres"} <= (await attributes(site, query)).keys()


async def test_older_versions_accept_long_lists(bookshop: Site, older: Site) -> None:
    many = "&".join(f"filters[id][$in]={i}" for i in range(2, 200))
    assert await refused(bookshop, f"/api/books?{many}") == "Invalid parameter 0"
    assert await ids(older, f"{many}&pagination[pageSize]=2") == [2, 3]


@pytest.mark.parametrize(
    "query",
    [
        "filters[title]=x&filters=nope",
        "sort[title]=asc&sort=id",
        "pagination[page]=1&pagination=2",
        "fields[title]=1&fields=id",
        "populate[author][filters][name]=x&populate[author][filters]=y",
        "publicationState[a]=1&publicationState=b",
        "locale[a]=1&locale=b",
        "_q[a]=1&_q=b",
        "filters[title][$in][a]=1&filters[title][$in]=b",
        "filters[$or][a]=1&filters[$or]=b",
        "populate[extras][on][a]=1&populate[extras][on]=b",
    ],
)
async def test_merged_parameters_are_read_or_refused(older: Site, query: str) -> None:
    assert (await older.get(f"/api/books?{query}", FULL_TOKEN)).status in (200, 400)


REFUSED_BELOW = {
    "fields[0]=nope": set(),
    "fields[0]=name&fields[1]=token": {"name"},
    "fields=token": {"name", "createdAt", "updatedAt"},
    "sort=nope": {"name", "createdAt", "updatedAt"},
    "filters[token][$startsWith]=x": {"name", "createdAt", "updatedAt"},
    "filters[$or][0][token]=x": {"name", "createdAt", "updatedAt"},
    "filters[books][secretNote]=x": {"name", "createdAt", "updatedAt"},
}


@pytest.mark.parametrize("part", REFUSED_BELOW)
async def test_older_versions_ignore_invalid_names_below_populate(bookshop: Site, older: Site, part: str) -> None:
    name, _, value = part.replace("&fields", "&populate[author][fields]").partition("=")
    first, bracket, rest = name.partition("[")
    query = f"populate[author][{first}]{bracket}{rest}={value}"
    assert "Invalid parameter" in await refused(bookshop, f"/api/books/1?{query}")
    shown = (await attributes(older, query))["author"]["data"]["attributes"]
    wanted = REFUSED_BELOW[part]
    assert shown.keys() == wanted if len(wanted) < 2 else shown.keys() >= wanted
    assert "token" not in shown


async def test_valid_parameters_below_populate_still_count(older: Site) -> None:
    query = "populate[author][filters][name]=Nobody&populate[author][filters][nope]=1"
    assert (await attributes(older, query))["author"]["data"] is None


@pytest.mark.parametrize(
    "part", ["filters[nope]=1", "sort=nope:desc", "filters[secretNote][$startsWith]=a", "sort=pin"]
)
async def test_older_versions_ignore_invalid_parameters_at_the_top_level(
    bookshop: Site, older: Site, part: str
) -> None:
    assert "Invalid parameter" in await refused(bookshop, f"/api/books?{part}")
    assert await ids(older, f"{part}&pagination[pageSize]=3") == [1, 2, 3]


async def test_graphql_refuses_under_every_version(older: Site) -> None:
    document = '{ book(id: 1) { data { attributes { genres(sort: "nope") { data { id } } } } } }'
    answer = await older.get(f"/graphql?query={quote(document)}", FULL_TOKEN)
    assert "Invalid parameter nope" in answer.body.decode()


async def test_targets_of_polymorphic_relations_are_wrapped(bookshop: Site, older: Site) -> None:
    query = "populate[subject][populate]=*&populate[subjects][populate]=*"
    now, then = await attributes(bookshop, query, "notes/1"), await attributes(older, query, "notes/1")
    wrapped = [{"id": one.pop("id"), "attributes": one} for one in now["subjects"]]
    assert len(wrapped) > 0
    assert then["subjects"] == {"data": wrapped}
    subject = now["subject"]
    assert then["subject"] == {"data": {"id": subject.pop("id"), "attributes": subject}}


@pytest.mark.parametrize("text, shown", [("title,pages", {"title", "pages"}), ("title, pages", {"title", "pages"})])
async def test_commas_separate_the_names_of_fields(bookshop: Site, text: str, shown: set[str]) -> None:
    query = f"fields={quote(text)}&populate[author][fields]=name,createdAt"
    assert await refused(bookshop, f"/api/books/1?{query}") == f"Invalid parameter {text}"
    async with another(bookshop, field_lists="split") as site:
        found = await attributes(site, query)
    assert found.keys() - {"author"} == shown
    assert found["author"]["data"]["attributes"].keys() == {"name", "createdAt"}


@pytest.mark.parametrize("may_read_roles", [True, False])
async def test_users_see_their_role_with_permission_to_read_roles(new_club: OpenClub, may_read_roles: bool) -> None:
    club = await new_club(**NEVER, OCTAVO_API__COMPAT__OWN_ROLE="shown")
    granted = ("user.me", "role.find") if may_read_roles else ("user.me",)
    await club.grant("authenticated", *(f"plugin::users-permissions.{action}" for action in granted))
    token = await club.token_of()
    for query in ("", "?populate=role", "?fields=username"):
        shown = (await club.ask("GET", f"/api/users/me{query}", token=token)).json
        assert shown["username"] == "ann"
        assert shown.get("role", {}).get("type") == ("authenticated" if may_read_roles else None)
