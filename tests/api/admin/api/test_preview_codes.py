"""Preview codes and tokens: issued to administrators, exchanged once by the front end, and limited to reads."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from octavo.access.authentication.preview_tokens import LIFESPAN as TOKEN_LIFESPAN
from octavo.content.manager.preview_codes import LIFESPAN
from octavo.core.clock import move, wall_time
from octavo.schema.content_types import USER
from tests.api.admin.conftest import COOKIE, NOTE, Office, write_administrators
from tests.api.admin.newsroom import STORY, Newsroom, write_newsroom
from tests.api.http.asgi import Answer
from tests.cli.projects import write_type
from tests.models.club import NEVER, open_club
from tests.models.club_fixtures import CLUB_DATABASE
from tests.models.people import write
from tests.models.templates import Copy, copy_of

pytestmark = pytest.mark.anyio

INVALID = "The preview code is invalid, has expired or was used before. Open the preview again to get a new one"
TOKENS = "/octavo/preview-tokens"
ROUTE = """
from octavo import Route

async def sign(request):
    return {"signed": True}

routes = [Route("POST", "/sign", sign)]
"""
"""A route for all signed-in callers."""


ISSUE_UID = "api::issue.issue"
ISSUES = f"/content-manager/collection-types/{ISSUE_UID}"
ISSUE: dict[str, Any] = {
    "kind": "collectionType",
    "collectionName": "issues",
    "info": {"singularName": "issue", "pluralName": "issues", "displayName": "Issue"},
    "options": {"draftAndPublish": True},
    "attributes": {
        "title": {"type": "string"},
        "story": {"type": "relation", "relation": "manyToOne", "target": STORY},
        "owner": {"type": "relation", "relation": "manyToOne", "target": USER},
    },
}


@pytest.fixture(scope="module", params=["visible", "preview"])
def drafts_by_id(request: pytest.FixtureRequest) -> str:
    value: str = request.param
    return value


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def newsroom_copy(request: pytest.FixtureRequest, drafts_by_id: str) -> Iterator[Copy]:
    """Yield a database for each value of the compatibility rule."""
    with copy_of(request, "club") as copy:
        yield copy


@pytest.fixture(scope="module")
async def open_newsroom(
    anyio_backend: str, newsroom_copy: Copy, drafts_by_id: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Newsroom]:
    """Open a newsroom for each value of the rule `draftsById`."""
    folder = tmp_path_factory.mktemp("previews")
    write_type(folder, NOTE)
    write_type(folder, ISSUE)
    write_newsroom(folder)
    route = folder / "src/api/story/routes/sign.py"
    route.parent.mkdir(parents=True)
    route.write_text(ROUTE, encoding="utf-8")
    newsroom_copy.place(folder / CLUB_DATABASE)
    rule = {"OCTAVO_API__COMPAT__DRAFTS_BY_ID": drafts_by_id}
    async with open_club(folder, {**newsroom_copy.variables, **NEVER, **rule}, filled=True) as club:
        await write_administrators(club)
        yield Newsroom(Office(club), {})


async def story(newsroom: Newsroom, title: str = "A draft", **more: Any) -> int:
    made = await newsroom.make("story.story", {"title": title, **more})
    return int(made["id"])


async def code_for(newsroom: Newsroom, entry_id: int, by: str = "ada", uid: str = STORY) -> str:
    answer = await newsroom.ask("POST", f"/octavo/preview-codes/{uid}/{entry_id}", by=by)
    assert answer.status == 200, answer.body
    assert (answer.json["data"]["expiresIn"], answer.headers["cache-control"]) == (LIFESPAN, "no-store")
    code: str = answer.json["data"]["code"]
    return code


async def exchange(newsroom: Newsroom, code: Any) -> Answer:
    return await newsroom.office.club.ask("POST", TOKENS, {"code": code})


async def token_for(newsroom: Newsroom, entry_id: int, by: str = "ada", uid: str = STORY) -> str:
    answer = await exchange(newsroom, await code_for(newsroom, entry_id, by, uid))
    assert answer.status == 200, answer.body
    token: str = answer.json["data"]["token"]
    return token


async def read(newsroom: Newsroom, target: str, token: str) -> Answer:
    return await newsroom.office.club.ask("GET", target, token=token)


async def titles(newsroom: Newsroom, token: str, more: str = "publicationState=preview") -> set[str]:
    answer = await read(newsroom, f"/api/storys?{more}", token)
    assert answer.status == 200, answer.body
    return {one["attributes"]["title"] for one in answer.json["data"]}


async def test_a_code_becomes_a_token_that_reads_the_draft(newsroom: Newsroom) -> None:
    entry_id = await story(newsroom, "Previewed")
    answer = await exchange(newsroom, await code_for(newsroom, entry_id))
    assert (answer.status, answer.headers["cache-control"]) == (200, "no-store")
    given = answer.json["data"]
    assert given == {"token": given["token"], "expiresAt": given["expiresAt"], "type": STORY, "id": entry_id}
    assert "Previewed" in await titles(newsroom, given["token"])
    assert "Previewed" not in await titles(newsroom, given["token"], "")
    one = await read(newsroom, f"/api/storys/{entry_id}?publicationState=preview", given["token"])
    assert one.json["data"]["attributes"]["title"] == "Previewed"
    query = {"query": '{ storys(publicationState: PREVIEW, filters: {title: {eq: "Previewed"}}) { data { id } } }'}
    graphql = await newsroom.office.club.ask("POST", "/graphql", query, given["token"])
    assert graphql.json == {"data": {"storys": {"data": [{"id": str(entry_id)}]}}}


async def test_a_code_works_once(newsroom: Newsroom) -> None:
    code = await code_for(newsroom, await story(newsroom))
    first, second = await exchange(newsroom, code), await exchange(newsroom, code)
    assert (first.status, second.status) == (200, 400)
    assert second.json["error"]["message"] == INVALID
    assert second.json["error"]["details"]["errors"][0]["path"] == ["code"]


async def test_simultaneous_exchanges_return_one_token(newsroom: Newsroom) -> None:
    code = await code_for(newsroom, await story(newsroom))
    answers = await asyncio.gather(*(exchange(newsroom, code) for _ in range(8)))
    assert sorted(answer.status for answer in answers) == [200, *[400] * 7]


async def test_codes_and_tokens_expire(newsroom: Newsroom) -> None:
    entry_id = await story(newsroom)
    code, token = await code_for(newsroom, entry_id), await token_for(newsroom, entry_id)
    try:
        move(LIFESPAN + 1)
        assert (await exchange(newsroom, code)).status == 400
        assert await titles(newsroom, token)
        move(TOKEN_LIFESPAN)
        assert (await read(newsroom, "/api/storys", token)).status == 401
    finally:
        move(0)


async def test_bodies_without_a_valid_code(newsroom: Newsroom) -> None:
    statuses = []
    bodies: tuple[Any, ...] = (None, [], {}, {"code": 5}, {"code": ""}, {"code": "x" * 5000}, {"code": "a", "more": 1})
    for body in bodies:
        answer = await newsroom.office.club.ask("POST", TOKENS, body)
        statuses.append(answer.status)
    assert set(statuses) == {400}


async def test_codes_need_permission_to_read_the_entry(newsroom: Newsroom) -> None:
    entry_id = await story(newsroom)
    path = f"/octavo/preview-codes/{STORY}/{entry_id}"
    assert (await newsroom.office.club.ask("POST", path)).status == 401
    assert (await newsroom.ask("POST", path, by="edi")).status == 403
    await newsroom.allow("read", STORY, conditions=["admin::is-creator"])
    assert (await newsroom.ask("POST", path, by="edi")).status == 403
    assert (await newsroom.ask("POST", f"/octavo/preview-codes/{STORY}/999999")).status == 404
    assert (await newsroom.ask("POST", f"/octavo/preview-codes/{STORY}/none")).status == 404
    assert (await newsroom.ask("POST", "/octavo/preview-codes/api::no.no/1")).status == 403


async def test_a_token_reads_what_its_editor_can_read(newsroom: Newsroom) -> None:
    await newsroom.allow("read", STORY, "title")
    entry_id = await story(newsroom, "Limited", words=9)
    token = await token_for(newsroom, entry_id, by="edi")
    one = await read(newsroom, f"/api/storys/{entry_id}?publicationState=preview", token)
    assert one.json["data"]["attributes"].get("title") == "Limited"
    assert "words" not in one.json["data"]["attributes"]
    assert (await read(newsroom, "/api/badges", token)).status == 403


async def test_a_token_shows_drafts_of_its_type_only(newsroom: Newsroom) -> None:
    await newsroom.ask("PUT", "/content-manager/single-types/api::front.front", {"headline": "Draft front"})
    token = await token_for(newsroom, await story(newsroom))
    assert (await read(newsroom, "/api/front?publicationState=preview", token)).status == 404
    assert (await read(newsroom, "/api/badges", token)).status == 200


async def test_drafts_of_other_types_are_hidden_in_every_read(newsroom: Newsroom) -> None:
    entry_id = await story(newsroom, "Covered")
    body = {"title": "Draft issue", "story": {"connect": [{"id": entry_id}]}}
    issue = (await newsroom.ask("POST", ISSUES, body)).json["id"]
    published = (await newsroom.ask("POST", ISSUES, {**body, "title": "Published issue"})).json["id"]
    assert (await newsroom.ask("POST", f"{ISSUES}/{published}/actions/publish")).status == 200
    of_story, of_issue = await token_for(newsroom, entry_id), await token_for(newsroom, issue, uid=ISSUE_UID)
    state = "publicationState=preview"
    for target in (f"/api/issues/{issue}?{state}", f"/api/issues?{state}"):
        assert b"Draft issue" in (await read(newsroom, target, of_issue)).body
        assert b"Draft issue" not in (await read(newsroom, target, of_story)).body
    related = f"/api/issues/{published}?populate[story][publicationState]=preview"
    assert b"Covered" in (await read(newsroom, related, of_story)).body
    assert b"Covered" not in (await read(newsroom, related, of_issue)).body
    for text in (f"issue(id: {issue})", "issues(publicationState: PREVIEW)"):
        query = {"query": f"{{ {text} {{ data {{ attributes {{ title }} }} }} }}"}
        assert b"Draft issue" not in (await newsroom.office.club.ask("POST", "/graphql", query, of_story)).body, text


async def test_a_token_shows_users_through_relations_only(newsroom: Newsroom) -> None:
    for subject, fields in ((ISSUE_UID, ("title", "owner")), (USER, ("username",))):
        await newsroom.allow("read", subject, *fields)
    body = {"title": "Owned", "owner": {"connect": [{"id": 2}]}}
    issue = (await newsroom.ask("POST", ISSUES, body)).json["id"]
    token = await token_for(newsroom, issue, by="edi", uid=ISSUE_UID)
    target = f"/api/issues/{issue}?publicationState=preview&populate=owner"
    owner = (await read(newsroom, target, token)).json["data"]["attributes"]["owner"]["data"]
    assert owner["id"] == 2
    assert "username" in owner["attributes"]
    assert "email" not in owner["attributes"]
    assert (await read(newsroom, "/api/users", token)).status == 403
    await newsroom.allow_nothing()
    await newsroom.allow("read", ISSUE_UID, "title", "owner")
    newsroom.office.club.octavo.infrastructure.authenticator.invalidate()
    assert "owner" not in (await read(newsroom, target, token)).json["data"]["attributes"]


async def test_a_token_only_reads_content(newsroom: Newsroom) -> None:
    entry_id = await story(newsroom)
    token = await token_for(newsroom, entry_id)
    ask = newsroom.office.club.ask
    for method, target, body in (
        ("POST", "/api/storys", {"data": {"title": "Forged"}}),
        ("PUT", f"/api/storys/{entry_id}", {"data": {"title": "Forged"}}),
        ("DELETE", f"/api/storys/{entry_id}", None),
        ("GET", "/api/users", None),
        ("GET", "/api/upload/files", None),
        ("GET", "/api/users/me", None),
    ):
        assert (await ask(method, target, body, token)).status in (401, 403), target
    for target in ("/admin/users/me", "/admin/users", f"/content-manager/collection-types/{STORY}"):
        assert (await ask("GET", target, None, token)).status == 401, target
    assert (await ask("POST", f"/octavo/preview-codes/{STORY}/{entry_id}", None, token)).status == 401
    assert (await ask("POST", "/api/sign", {}, newsroom.tokens["ada"])).status == 200
    assert (await ask("POST", "/api/sign", {}, token)).status == 403
    query = {"query": f"mutation {{ deleteStory(id: {entry_id}) {{ data {{ id }} }} }}"}
    assert "errors" in (await ask("POST", "/graphql", query, token)).json
    assert (await newsroom.ask("GET", f"story.story/{entry_id}")).status == 200


async def test_a_revoked_editor_has_no_previews(newsroom: Newsroom) -> None:
    await newsroom.allow("read", STORY)
    entry_id = await story(newsroom)
    code, token = await code_for(newsroom, entry_id, "edi"), await token_for(newsroom, entry_id, "edi")
    await newsroom.allow_nothing()
    assert (await exchange(newsroom, code)).status == 400
    assert (await read(newsroom, "/api/storys", token)).status == 403
    await newsroom.allow("read", STORY)
    newsroom.office.club.octavo.infrastructure.authenticator.invalidate()
    code = await code_for(newsroom, entry_id, "edi")
    assert (await read(newsroom, "/api/storys", token)).status == 200
    await newsroom.office.change("edi", "blocked", True)
    assert (await exchange(newsroom, code)).status == 400
    assert (await read(newsroom, "/api/storys", token)).status == 401
    await newsroom.office.change("edi", "blocked", False)
    assert (await read(newsroom, "/api/storys", token)).status == 401, "the block ended the session"
    del newsroom.tokens["edi"]


async def test_a_sign_out_ends_codes_and_tokens(newsroom: Newsroom) -> None:
    entry_id = await story(newsroom)
    session, cookie = await newsroom.office.session("ada")
    path = f"/octavo/preview-codes/{STORY}/{entry_id}"
    codes = [(await newsroom.office.club.ask("POST", path, None, session)).json["data"]["code"] for _ in range(2)]
    token = (await exchange(newsroom, codes[0])).json["data"]["token"]
    ended = await newsroom.office.post("logout", headers=(("Cookie", f"{COOKIE}={cookie}"),))
    assert ended.status == 200, ended.body
    assert (await exchange(newsroom, codes[1])).status == 400
    assert (await read(newsroom, "/api/storys", token)).status == 401


async def test_forged_tokens_are_refused(newsroom: Newsroom) -> None:
    token = await token_for(newsroom, await story(newsroom))
    head, body, signature = token.split(".")
    for forged in (f"{head}.{body}.", f"{head}.{body}.{signature[::-1]}", f"{head}..{signature}", f"{head}.e30.x"):
        assert (await read(newsroom, "/api/storys", forged)).status == 401


async def test_secrets_are_not_stored_in_plain_text_or_logged(newsroom: Newsroom) -> None:
    entry_id = await story(newsroom)
    code = await code_for(newsroom, entry_id)
    rows = await newsroom.office.club.database.fetch_all("SELECT name, content FROM octavo_one_time_secrets")
    assert code not in repr(rows)
    token = (await exchange(newsroom, code)).json["data"]["token"]
    kept = await newsroom.office.club.database.fetch_all("SELECT * FROM octavo_one_time_secrets")
    audited = await newsroom.office.club.database.fetch_all("SELECT * FROM octavo_audit")
    log = await newsroom.ask("GET", "/octavo/system")
    for secret in (code, token):
        assert secret not in repr((kept, audited, log.body))


async def test_expired_codes_are_deleted(newsroom: Newsroom) -> None:
    entry_id = await story(newsroom)
    await code_for(newsroom, entry_id)
    await write(
        newsroom.office.club.database, "UPDATE octavo_one_time_secrets SET expires_at = {v1}", int(wall_time()) - 1
    )
    await code_for(newsroom, entry_id)
    assert await newsroom.office.club.database.fetch_value("SELECT count(*) FROM octavo_one_time_secrets") == 1
