"""Values that users cannot read make no difference to any response, whatever they request through any API.

The permissions of a user's two roles are generated. All values that these do not cover are changed; the user's requests
(lists, filters, sorts, searches, relations, counts) must get the same responses as before, byte for byte. All APIs show
the same readable values.
"""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from tests.api.admin.conftest import NOTE, Office, write_administrators
from tests.api.admin.newsroom import BADGE, IS_CREATOR, STORY, TOPIC, Newsroom, write_newsroom
from tests.api.admin.rights_world import Entry, World, generated, make_world
from tests.api.http.asgi import Answer
from tests.cli.projects import write_type
from tests.models.club import NEVER, SAFE, open_club
from tests.models.club_fixtures import CLUB_DATABASE
from tests.models.people import write
from tests.models.templates import Copy, copy_of

pytestmark = pytest.mark.anyio

CODE = """
from octavo import Controller, Route

class StoryController(Controller):
    async def own(self, request):
        await self.validate_query(request)
        asked = await self.sanitize_query(request)
        found = await self.service.find(asked)
        return await self.page(found, request)
"""
SERVICE = """
from octavo import Service

class BadgeService(Service):
    async def find(self, query=None):
        return await super().find(query)

    async def find_one(self, entry_id, query=None):
        return await super().find_one(entry_id, query)

    async def update(self, entry_id, data, query=None):
        return await super().update(entry_id, data, query)

    async def delete(self, entry_id, query=None):
        return await super().delete(entry_id, query)
"""
"""Project code that overrides core actions of badges."""
ROUTES = """
from octavo import Route

routes = [Route("GET", "/storys/own", "story.own", auth=["api::story.story.find"])]
"""
NAMES = {STORY: "storys", BADGE: "badges", TOPIC: "topics"}
COMPARED = {
    STORY: ("title", "code", "words", "secret", "teaser.text", "links.text", "lead.label", "badges.label", "lead.id"),
    BADGE: ("label", "stories.title", "stories.words", "stories.lead.label"),
    TOPIC: ("name", "code", "box.text", "localizations.name"),
}
POPULATED = {STORY: ("teaser", "links", "parts", "lead", "badges"), BADGE: ("stories",), TOPIC: ("localizations",)}


@pytest.fixture(scope="module", params=["v4", "safe"])
def profile(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def world_copy(request: pytest.FixtureRequest, profile: str) -> Iterator[Copy]:
    """Yield a database for each profile."""
    with copy_of(request, "club") as copy:
        yield copy


@pytest.fixture(scope="module")
async def world(
    profile: str,
    anyio_backend: str,
    world_copy: Copy,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[World]:
    folder = tmp_path_factory.mktemp("world")
    write_type(folder, NOTE)
    write_newsroom(folder)
    for place, text in (("story/controllers", CODE), ("story/routes", ROUTES), ("badge/services", SERVICE)):
        path = folder / f"src/api/{place}/{place.split('/')[0]}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    world_copy.place(folder / CLUB_DATABASE)
    rules = SAFE if profile == "safe" else {}
    async with open_club(folder, {**world_copy.variables, **NEVER, **rules}, filled=True) as club:
        await write(club.database, "INSERT INTO i18n_locale (name, code) VALUES ({v1}, {v2})", "French (fr)", "fr")
        await write_administrators(club)
        yield await make_world(Newsroom(Office(club), {}))


def parameters(uid: str) -> Iterator[str]:
    """Yield query parameters that filter, sort and search by every field."""
    for dotted in COMPARED[uid]:
        way = "".join(f"[{name}]" for name in dotted.split("."))
        value = {"words": "[$lt]=500", "id": "[$gt]=0"}.get(dotted.rpartition(".")[2], "[$contains]=alpha")
        yield f"filters{way}{value}"
        yield f"filters[$not]{way}[$null]=true"
        yield f"sort={dotted}"
    yield "_q=alpha"
    yield "_q=99"
    yield "sort[0]=createdBy.firstname&filters[createdBy][firstname][$contains]=d"


def rest(uid: str) -> Iterator[str]:
    state = f"publicationState=preview{'&locale=all' if uid == TOPIC else ''}"
    populated = [f"populate[{name}][populate]=*" for name in POPULATED[uid]]
    listed = f"fields={','.join(COMPARED[uid][:2])}&populate={','.join(POPULATED[uid])}"
    for asked in ("", "populate=*", *populated, listed, *parameters(uid)):
        yield f"/api/{NAMES[uid]}?{state}&{asked}"
        if uid == STORY:
            yield f"/api/storys/own?{state}&{asked}"


def panel(uid: str) -> Iterator[str]:
    for asked in ("", *parameters(uid), "populate=*"):
        yield f"/content-manager/collection-types/{uid}?{'locale=fr&' if uid == TOPIC else ''}{asked}"


def by_entry(one: Entry) -> Iterator[str]:
    yield f"/api/{NAMES[one.uid]}/{one.id}?populate=*"
    yield f"/content-manager/collection-types/{one.uid}/{one.id}"
    yield f"/content-manager/collection-types/{one.uid}/{one.id}/actions/countDraftRelations"
    for name in {STORY: ("lead", "badges"), BADGE: ("stories",), TOPIC: ()}[one.uid]:
        yield f"/content-manager/relations/{one.uid}/{one.id}/{name}"
        yield f"/content-manager/relations/{one.uid}/{name}?entityId={one.id}"
    if one.uid == STORY:
        yield f"/content-manager/relations/shared.teaser/{one.inside['teaser']}/by"


def candidates() -> Iterator[str]:
    for uid, name in ((STORY, "lead"), (STORY, "badges"), (BADGE, "stories")):
        for asked in ("", "_q=alpha", "_q=omega&_filter=$startsWith", "sort=label", "filters[label][$contains]=alpha"):
            yield f"/content-manager/relations/{uid}/{name}?{asked}"


def graphql() -> Iterator[str]:
    badge = "data { id attributes { label } }"
    inner = (
        f"title code words teaser {{ text by {{ {badge} }} }} links {{ text }} lead {{ {badge} }} badges {{ {badge} }}"
    )
    parts = "parts { ... on ComponentSharedNote { text } }"
    total = "meta { pagination { total } }"
    for arguments in (
        "",
        ', sort: "title"',
        ', sort: "words:desc"',
        ', sort: "lead.label"',
        ', filters: { title: { contains: "alpha" } }',
        ", filters: { not: { words: { gt: 500 } } }",
        ', filters: { teaser: { text: { contains: "alpha" } } }',
        ', filters: { lead: { label: { contains: "alpha" } } }',
    ):
        for selection in (inner, "title", f"words {parts}"):
            data = f"data {{ id attributes {{ {selection} }} }}"
            yield f"{{ storys(publicationState: PREVIEW{arguments}) {{ {data} {total} }} }}"
    stories = "stories { data { attributes { title words } } }"
    yield f"{{ badges {{ data {{ attributes {{ label {stories} }} }} {total} }} }}"
    topics = "data { attributes { name code box { text } } }"
    yield f'{{ topics(locale: "all", sort: "name") {{ {topics} {total} }} }}'


def asked_for(world: World) -> Iterator[tuple[str, str, Any]]:
    for uid in NAMES:
        for target in (*rest(uid), *panel(uid)):
            yield "GET", target, None
        ids = "&".join(f"ids={one.id}" for one in world.of(uid))
        yield "GET", f"/content-manager/collection-types/{uid}/actions/countManyEntriesDraftRelations?{ids}", None
    for one in world.entries:
        for target in by_entry(one):
            yield "GET", target, None
    for target in candidates():
        yield "GET", target, None
    for query in graphql():
        yield "POST", "/graphql", {"query": query}
    code = {"contentTypeUID": STORY, "field": "code", "value": f"alpha-{world.of(STORY)[0].id}"}
    yield "POST", "/content-manager/uid/check-availability", code


async def answers(world: World) -> dict[str, Answer]:
    return {
        f"{method} {target} {body or ''}": await world.newsroom.ask(method, target, body, by="edi")
        for method, target, body in asked_for(world)
    }


def without_name(answer: Answer) -> Answer:
    """Return a response without its request id and timing."""
    kept = {name: value for name, value in answer.headers.items() if name not in ("x-request-id", "server-timing")}
    return Answer(answer.status, kept, answer.body)


@pytest.mark.parametrize("seed", range(4))
async def test_unreadable_values_do_not_change_responses(world: World, profile: str, seed: int) -> None:
    roles = generated(seed)
    await world.grant(roles)
    known = world.known([right for role in roles for right in role])
    await world.turn(set())
    before = await answers(world)
    await world.turn(world.turned(known, linked=profile == "v4"))
    after = await answers(world)
    leaks = [
        f"{reported}: {answer.body!r}, {after[reported].body!r}"
        for reported, answer in before.items()
        if without_name(answer) != without_name(after[reported])
    ]
    assert not leaks, (roles, leaks)
    assert not [reported for reported, answer in before.items() if answer.status >= 500]
    assert sum(answer.status == 200 for answer in before.values()) > len(before) / 4, "most requests are not refused"


@pytest.mark.parametrize("seed", range(4))
async def test_all_apis_show_the_same_readable_fields(world: World, seed: int) -> None:
    roles = generated(seed)
    await world.grant(roles)
    await world.turn(set())
    rights = [right for role in roles for right in role]
    expected = {cell[1:] for cell in world.known(rights) if cell[0] == STORY and cell[2] in SHOWN}
    assert await through_rest(world) == await through_the_panel(world) == expected
    optional = await through_graphql(world, "code", "words")
    assert optional == {cell for cell in expected if cell[1] in ("code", "words")}
    assert await through_graphql(world, "title", "teaser { text }") <= expected
    assert await through_code(world) <= expected


async def test_writing_through_services_needs_permission_for_all_entries(world: World) -> None:
    await world.newsroom.allow_nothing()
    first, second = world.of(BADGE)[:2]
    for conditions, status in (([IS_CREATOR], 403), ([], 200)):
        await world.newsroom.allow("read", BADGE, "label")
        for action in ("update", "delete"):
            await world.newsroom.allow(action, BADGE, *(["label"] if action == "update" else ()), conditions=conditions)
        change = {"data": {"label": "changed"}}
        answer = await world.newsroom.ask("PUT", f"/api/badges/{first.id}", change, by="edi")
        assert answer.status == status
        gone = await world.newsroom.ask("DELETE", f"/api/badges/{second.id}", by="edi")
        assert gone.status == status


SHOWN = ("title", "code", "words", "teaser.text")


def cells(entries: Any) -> set[tuple[int, str]]:
    """Return id and field of each compared value in the entries."""
    found = set()
    for one in entries:
        values = one.get("attributes") or one
        flat = {**values, "teaser.text": (values.get("teaser") or {}).get("text")}
        found |= {(int(one["id"]), name) for name in SHOWN if flat.get(name) is not None}
    return found


async def through_rest(world: World, path: str = "storys") -> set[tuple[int, str]]:
    target = f"/api/{path}?publicationState=preview&populate=*"
    return cells((await world.newsroom.ask("GET", target, by="edi")).json["data"] or ())


async def through_code(world: World) -> set[tuple[int, str]]:
    return await through_rest(world, "storys/own")


async def through_the_panel(world: World) -> set[tuple[int, str]]:
    return cells((await world.newsroom.ask("GET", "story.story", by="edi")).json.get("results", ()))


async def through_graphql(world: World, *selections: str) -> set[tuple[int, str]]:
    """Query each selection separately, since an unreadable required field makes its whole entry null."""
    found = set()
    for selection in selections:
        text = f"{{ storys(publicationState: PREVIEW) {{ data {{ id attributes {{ {selection} }} }} }} }}"
        data = (await world.newsroom.ask("POST", "/graphql", {"query": text}, by="edi")).json["data"] or {}
        entries = (data.get("storys") or {"data": ()})["data"]
        found |= cells(one for one in entries if one["attributes"])
    return found
