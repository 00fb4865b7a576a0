"""REST, GraphQL and the content manager grant a user the same access: to values, filters, sorts and searches.

The permissions of two roles differ in fields and conditions, so some fields are readable in some entries only.
"""

from typing import Any

import pytest

from tests.api.admin.newsroom import BADGE, IS_CREATOR, STORY, Newsroom

pytestmark = pytest.mark.anyio

Known = dict[int, dict[str, Any]]


@pytest.fixture
async def site(newsroom: Newsroom) -> Newsroom:
    """Create one story by Ada (30 words, with badges) and one by Edi (10 words), and delete those of earlier tests."""
    database = newsroom.office.club.database
    for table in ("storys", "badges"):
        await database.execute(f"DELETE FROM {table}")
    await newsroom.allow("create", STORY)
    badge = await newsroom.make("badge.badge", {"label": "gold"})
    for who, words in (("ada", 30), ("edi", 10)):
        body = {
            "title": f"of {who}",
            "words": words,
            "secret": f"s{words}",
            "pin": "1234",
            "teaser": {"text": f"t{words}"},
        }
        links = {"badges": [badge["id"]], "lead": badge["id"]} if who == "ada" else {}
        await newsroom.make("story.story", {**body, **links, "teaser": {"text": f"t{words}"}}, by=who)
    await newsroom.allow_nothing()
    return newsroom


async def through_rest(site: Newsroom, asked: str = "") -> Known | int:
    target = f"/api/storys?publicationState=preview&populate[0]=teaser&populate[1]=badges&populate[2]=lead&{asked}"
    answer = await site.ask("GET", target, by="edi")
    if answer.status != 200:
        return answer.status
    return {one["id"]: one["attributes"] for one in answer.json["data"]}


async def through_the_panel(site: Newsroom, asked: str = "") -> Known | int:
    answer = await site.ask("GET", f"story.story?{asked}", by="edi")
    return answer.status if answer.status != 200 else {one["id"]: one for one in answer.json["results"]}


async def through_graphql(site: Newsroom, arguments: str = "", selection: str = "title words") -> Any:
    query = f"{{ storys(publicationState: PREVIEW{arguments}) {{ data {{ id attributes {{ {selection} }} }} }} }}"
    return (await site.ask("POST", "/graphql", {"query": query}, by="edi")).json


def shown(known: Known | int, *names: str) -> list[tuple[Any, ...]]:
    """Return the given fields of each entry, with None for missing fields."""
    assert isinstance(known, dict), known
    return [tuple(one.get(name) for name in names) for _, one in sorted(known.items())]


async def ids_of(site: Newsroom) -> dict[str, int]:
    """Return the stories' ids by title."""
    return {row[0]: row[1] for row in await site.office.club.database.fetch_all("SELECT title, id FROM storys")}


async def allow_words_of_own(site: Newsroom) -> None:
    await site.allow("read", STORY, "title")
    await site.allow("read", STORY, "words", "teaser.text", conditions=[IS_CREATOR])


async def test_fields_of_some_entries_are_shown_in_these(site: Newsroom) -> None:
    await allow_words_of_own(site)
    for found in (await through_rest(site), await through_the_panel(site)):
        assert shown(found, "title", "words", "secret", "badges", "lead") == [
            ("of ada", None, None, None, None),
            ("of edi", 10, None, None, None),
        ]
        teasers = [teaser and teaser["text"] for (teaser,) in shown(found, "teaser")]
        assert teasers == [None, "t10"]
    data = (await through_graphql(site, selection="title words teaser { text }"))["data"]["storys"]["data"]
    assert [one["attributes"] for one in data] == [
        {"title": "of ada", "words": None, "teaser": None},
        {"title": "of edi", "words": 10, "teaser": {"text": "t10"}},
    ]


async def test_unreadable_required_fields_hide_only_their_own_entry(site: Newsroom) -> None:
    """GraphQL's schema says that a title is never null, so a story without a readable title becomes null."""
    await site.allow("read", STORY, "words", "badges", "lead")
    await site.allow("read", BADGE, "id")
    await site.allow("read", STORY, "title", "teaser.text", conditions=[IS_CREATOR])
    await site.allow("read", BADGE, "label", conditions=[IS_CREATOR])
    answer = await through_graphql(site, selection="title words teaser { text }")
    assert [one["attributes"] for one in answer["data"]["storys"]["data"]] == [
        None,
        {"title": "of edi", "words": 10, "teaser": {"text": "t10"}},
    ]
    assert [error["message"] for error in answer["errors"]] == ["Forbidden access"]
    badge = "data { id attributes { label } }"
    answer = await through_graphql(site, selection=f"words badges {{ {badge} }} lead {{ {badge} }}")
    ada, edi = (one["attributes"] for one in answer["data"]["storys"]["data"])
    assert (ada["words"], ada["lead"]["data"]["attributes"], edi["words"]) == (30, None, 10)
    assert [one["attributes"] for one in ada["badges"]["data"]] == [None]
    assert [error["message"] for error in answer["errors"]] == ["Forbidden access"] * 2


COMPARISONS: tuple[tuple[str, str | None, list[str]], ...] = (
    ("filters[words][$gt]=0", "words: {gt: 0}", ["of edi"]),
    ("filters[words][$ne]=77", "words: {ne: 77}", ["of edi"]),
    ("filters[words][$null]=true", "words: {null: true}", []),
    ("filters[$not][words][$eq]=77", "not: {words: {eq: 77}}", ["of edi"]),
    (
        "filters[$or][0][words]=30&filters[$or][1][words]=10",
        "or: [{words: {eq: 30}}, {words: {eq: 10}}]",
        ["of edi"],
    ),
    ("filters[teaser][text][$startsWith]=t", 'teaser: {text: {startsWith: "t"}}', ["of edi"]),
    ("filters[$not][teaser][text]=x", 'not: {teaser: {text: {eq: "x"}}}', ["of edi"]),
    ("_q=30", None, []),
    ("_q=10", None, ["of edi"]),
)


async def test_and_nowhere_else_compared_or_found(site: Newsroom) -> None:
    await allow_words_of_own(site)
    for asked, filters, expected in COMPARISONS:
        for found in (await through_rest(site, asked), await through_the_panel(site, asked)):
            assert [title for (title,) in shown(found, "title")] == expected, asked
        if filters is not None:
            data = (await through_graphql(site, f", filters: {{{filters}}}"))["data"]["storys"]["data"]
            assert [one["attributes"]["title"] for one in data] == expected, filters


async def test_sorts_do_not_reveal_the_order_of_unreadable_values(site: Newsroom) -> None:
    await allow_words_of_own(site)
    orders = []
    for words in (1, 99):
        await site.office.club.database.execute(f"UPDATE storys SET words = {words} WHERE title = 'of ada'")
        found = [await through_rest(site, "sort=words"), await through_the_panel(site, "sort=words:ASC")]
        orders.append([[*one] for one in found if isinstance(one, dict)])
    assert orders[0] == orders[1]


async def test_fields_without_permission_are_refused_or_left_out_by_every_api(site: Newsroom) -> None:
    await site.allow("read", STORY, "title", conditions=[IS_CREATOR])
    for name, operator in (
        ("secret", "$notNull"),
        ("pin", "$notNull"),
        ("badges", "id"),
        ("lead", "id"),
        ("teaser", "id"),
    ):
        comparison = f"filters[{name}][{operator}]=1"
        assert await through_rest(site, comparison) == 400
        assert shown(await through_the_panel(site, comparison), "title", name) == [
            ("of edi", None)
        ]  # the filter is ignored
        assert shown(await through_rest(site), "title", name) == [("of edi", None)]
    for selection in ("teaser { text }", "badges { data { id } }", "lead { data { id } }"):
        answer = await through_graphql(site, selection=f"title {selection}")
        assert [error["extensions"]["error"]["name"] for error in answer["errors"]] == ["ForbiddenError"]


async def test_entries_out_of_scope_are_not_found(site: Newsroom) -> None:
    await site.allow("read", STORY, "title", "badges", conditions=[IS_CREATOR])
    await site.allow("read", BADGE, "label", conditions=[IS_CREATOR])
    ids = await ids_of(site)
    for path in (f"/api/storys/{ids['of ada']}", f"story.story/{ids['of ada']}"):
        assert (await site.ask("GET", path, by="edi")).status in (403, 404)
    assert (await site.ask("GET", f"/api/storys/{ids['of edi']}", by="edi")).status == 200
    assert shown(await through_rest(site, "filters[badges][label]=gold"), "title") == []
    one = f"{{ story(id: {ids['of ada']}) {{ data {{ id }} }} }}"
    assert (await site.ask("POST", "/graphql", {"query": one}, by="edi")).json["data"]["story"]["data"] is None


# Writes through the content API


async def test_the_content_api_creates_drafts_without_permission_to_publish(site: Newsroom) -> None:
    await site.allow("create", STORY, "title")
    await site.allow("read", STORY, "title", conditions=[IS_CREATOR])
    made = await site.ask("POST", "/api/storys", {"data": {"title": "mine", "words": 99}}, by="edi")
    assert (made.status, made.json["data"]["attributes"]["publishedAt"]) == (200, None)
    stored = "SELECT words, created_by_id FROM storys WHERE title = 'mine'"
    row = await site.office.club.database.fetch_row(stored)
    assert row is not None
    assert tuple(row) == (7, 2)
    live = {"title": "live", "publishedAt": "2026-01-01T00:00:00.000Z"}
    assert (await site.ask("POST", "/api/storys", {"data": live}, by="edi")).status == 403
    await site.allow("publish", STORY, conditions=[IS_CREATOR])
    made = await site.ask("POST", "/api/storys", {"data": {"title": "live"}}, by="edi")
    assert made.json["data"]["attributes"]["publishedAt"] is not None


async def test_the_content_api_writes_with_the_permissions_of_the_panel(site: Newsroom) -> None:
    await site.allow("update", STORY, "title")
    await site.allow("update", STORY, "words", conditions=[IS_CREATOR])
    await site.allow("delete", STORY, conditions=[IS_CREATOR])
    ids = await ids_of(site)
    body = {"data": {"title": "new", "words": 1, "secret": "x", "badges": []}}
    await site.ask("PUT", f"/api/storys/{ids['of ada']}", body, by="edi")
    stored = f"SELECT title, words, secret FROM storys WHERE id = {ids['of ada']}"
    assert tuple((await site.office.club.database.fetch_all(stored))[0]) == ("new", 30, "s30")
    assert (
        await site.ask("PUT", f"/api/storys/{ids['of ada']}", {"data": {"publishedAt": None}}, by="edi")
    ).status == 403
    assert (await site.ask("DELETE", f"/api/storys/{ids['of ada']}", by="edi")).status == 404
    assert (await site.ask("DELETE", f"/api/storys/{ids['of edi']}", by="edi")).status == 200


async def test_partial_permissions_do_not_change_files_and_users(site: Newsroom) -> None:
    await site.allow("read", "plugin::users-permissions.user", "username")
    await site.allow("update", "plugin::users-permissions.user", "username")
    users = await site.ask("GET", "/api/users", by="edi")
    assert {*users.json[0]} <= {"id", "username", "createdAt", "updatedAt"}
    assert (await site.ask("PUT", "/api/users/1", {"role": 1, "password": "New-Passw0rd"}, by="edi")).status == 403
    for method, path in (("GET", "upload/files"), ("DELETE", "upload/files/1"), ("POST", "upload")):
        assert (await site.ask(method, f"/api/{path}", {}, by="edi")).status == 403


async def test_conditional_field_permissions_apply_only_in_the_panel(site: Newsroom) -> None:
    await site.allow("read", STORY, "title")
    await site.allow("update", STORY, "title")
    await site.allow("update", STORY, "words", "teaser.text", conditions=[IS_CREATOR])
    own = (await ids_of(site))["of edi"]
    data = '{ title: "g", words: 2, teaser: { text: "x" } }'
    mutation = f"mutation {{ updateStory(id: {own}, data: {data}) {{ data {{ id }} }} }}"
    body = {"title": "r", "words": 1, "teaser": {"text": "x"}}
    stored = f"SELECT title, words FROM storys WHERE id = {own}"
    texts = "SELECT text FROM c_teasers ORDER BY id"
    before = await site.office.club.database.fetch_all(texts)
    for method, target, given, title in (
        ("PUT", f"/api/storys/{own}", {"data": body}, "r"),
        ("POST", "/graphql", {"query": mutation}, "g"),
    ):
        await site.ask(method, target, given, by="edi")
        assert [tuple(row) for row in await site.office.club.database.fetch_all(stored)] == [(title, 10)]
        assert await site.office.club.database.fetch_all(texts) == before
    await site.ask("PUT", f"story.story/{own}", {"words": 3}, by="edi")
    assert [tuple(row) for row in await site.office.club.database.fetch_all(stored)] == [("g", 3)]


async def test_sorts_through_relations_need_fields_of_all_entries(site: Newsroom) -> None:
    await site.allow("read", STORY, "title", "words")
    await site.allow("read", BADGE, "label")
    await site.allow("read", STORY, "lead", conditions=[IS_CREATOR])
    for sort in ("lead.label", "lead.id", "lead"):
        assert await through_rest(site, f"sort={sort}") == 400
    for sort in ("lead.label", "lead.id"):
        assert (await through_graphql(site, f', sort: "{sort}"'))["errors"]
        plain = await through_the_panel(site)
        assert await through_the_panel(site, f"sort={sort}:DESC") == plain
