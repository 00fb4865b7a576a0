"""Views shared by administrators: permissions to see, change and delete them, and refused input."""

import asyncio
from typing import Any

import pytest

from octavo.accounts.administrators.shared_views import MOST, MOST_ROLES
from tests.api.admin.newsroom import STORY, Newsroom
from tests.models.people import write

pytestmark = pytest.mark.anyio

PATH = f"/octavo/shared-views/{STORY}"
CONFIGURE = "plugin::content-manager.collection-types.configure-view"
SEARCH = "?sort=title:ASC&filters[$or][0][title][$contains]=a&filters[$or][1][words][$gt]=5"
SUPER_ADMIN, EDITOR, AUTHOR = 1, 2, 3


@pytest.fixture(autouse=True)
async def no_views(newsroom: Newsroom) -> None:
    for table in ("octavo_shared_views", "octavo_audit"):
        await newsroom.office.club.database.execute(f"DELETE FROM {table}")


def view(name: str = "Mine", search: str = SEARCH, roles: Any = None) -> dict[str, Any]:
    return {"name": name, "search": search, "roles": roles}


async def share(newsroom: Newsroom, body: Any, by: str = "ada") -> dict[str, Any]:
    answer = await newsroom.ask("POST", PATH, body, by)
    assert answer.status == 200, answer.body
    shared: dict[str, Any] = answer.json["data"][-1]
    return shared


async def names(newsroom: Newsroom, by: str = "edi") -> list[str]:
    answer = await newsroom.ask("GET", PATH, by=by)
    assert answer.status == 200, answer.body
    return [one["name"] for one in answer.json["data"]]


async def test_views_are_shared_with_roles_or_everyone(newsroom: Newsroom) -> None:
    assert (await newsroom.ask("GET", PATH, by="edi")).status == 403
    await newsroom.allow("read", STORY)
    for name, roles in (("Everyone", None), ("Editors", [EDITOR]), ("Authors", [AUTHOR])):
        await share(newsroom, view(name, roles=roles))
    answer = await newsroom.ask("GET", PATH, by="edi")
    first, second = answer.json["data"]
    assert first == {
        "id": first["id"],
        "name": "Everyone",
        "search": SEARCH,
        "roles": None,
        "author": "Ada",
        "mayChange": False,
    }
    assert (second["name"], second["roles"], answer.json["roles"]) == ("Editors", [], [])
    assert await names(newsroom, "ada") == ["Everyone", "Editors", "Authors"]
    roles = (await newsroom.ask("GET", PATH)).json["roles"]
    assert {"id": AUTHOR, "name": "Author"} in roles
    assert (await newsroom.ask("GET", f"{PATH}x")).status == 403


async def test_only_authors_and_super_admins_change_views(newsroom: Newsroom) -> None:
    await newsroom.allow("read", STORY)
    shared = await share(newsroom, view("Ada's"))
    path = f"{PATH}/{shared['id']}"
    for method, target, body in (("POST", PATH, view()), ("PUT", path, view()), ("DELETE", path, None)):
        assert (await newsroom.ask(method, target, body, "edi")).status == 403, "without permission to configure views"
    await newsroom.allow(CONFIGURE)
    for method, body in (("PUT", view()), ("DELETE", None)):
        assert (await newsroom.ask(method, path, body, "edi")).status == 403, "another author's"
    own = await share(newsroom, view("Edi's", roles=[EDITOR]), "edi")
    assert (own["author"], own["roles"], own["mayChange"]) == ("Edi", [EDITOR], True)
    changed = await newsroom.ask("PUT", f"{PATH}/{own['id']}", view("Edi's new", "", [SUPER_ADMIN, EDITOR]))
    assert [(one["name"], one["search"]) for one in changed.json["data"]] == [("Ada's", SEARCH), ("Edi's new", "")]
    kept = await newsroom.ask("PUT", f"{PATH}/{own['id']}", view("Edi's", "", [SUPER_ADMIN, EDITOR]), "edi")
    assert kept.status == 200, "a role that a super admin has added stays"
    assert (await newsroom.ask("DELETE", f"{PATH}/{own['id']}")).status == 200
    assert (await newsroom.ask("DELETE", f"{PATH}/{own['id']}")).status == 404
    assert await names(newsroom) == ["Ada's"]
    actions = await newsroom.office.club.database.fetch_all("SELECT email, action FROM octavo_audit ORDER BY id")
    assert [(email.partition("@")[0], action) for email, action in actions if "/" in action] == [
        ("ada", "POST /octavo/shared-views/:uid"),
        ("edi", "POST /octavo/shared-views/:uid"),
        ("ada", "PUT /octavo/shared-views/:uid/:id"),
        ("edi", "PUT /octavo/shared-views/:uid/:id"),
        ("ada", "DELETE /octavo/shared-views/:uid/:id"),
    ]


@pytest.mark.parametrize(
    "body, message",
    [
        (view(""), "name is a required field"),
        (view("x" * 61), "name must be at most 60 characters"),
        (view(search="?" + "x" * 4000), "search must be at most 4000 characters"),
        (view(search="filters"), "search must be empty or start with ?"),
        (
            view(search="?page=2"),
            "search: unknown parameter page. Views can have _q, filters, pageSize, plugins, sort",
        ),
        (view(roles=[]), "roles field must have at least 1 items"),
        (view(roles=[4000]), "roles: you can't share views with the role 4000"),
        (view(roles=[2**60]), f"roles: you can't share views with the role {2**60}"),
        (view("a\0"), "name must not contain NUL characters or halves of surrogate pairs"),
        (view(search="?_q=\0"), "search must not contain NUL characters or halves of surrogate pairs"),
        (view(roles=["1"]), 'roles[0] must be a `number` type, but the final value was: `"1"`.'),
        ({"name": "x", "search": ""}, "roles must be defined"),
        (view("Taken"), "name is already used by a shared view. Choose another one"),
    ],
)
async def test_invalid_views_are_refused(newsroom: Newsroom, body: Any, message: str) -> None:
    await share(newsroom, view("Taken"))
    answer = await newsroom.ask("POST", PATH, body)
    assert (answer.status, answer.json["error"]["message"]) == (400, message)


async def test_others_roles_need_the_permission_to_read_roles(newsroom: Newsroom) -> None:
    await newsroom.allow("read", STORY)
    await newsroom.allow(CONFIGURE)
    answer = await newsroom.ask("GET", PATH, by="edi")
    assert answer.json["roles"] == [{"id": EDITOR, "name": "Editor"}]
    assert (await newsroom.ask("POST", PATH, view(roles=[AUTHOR]), "edi")).status == 400
    await newsroom.allow("admin::roles.read")
    assert (await newsroom.ask("POST", PATH, view(roles=[AUTHOR]), "edi")).status == 200
    assert await names(newsroom) == ["Mine"], "authors see their views"


async def test_views_are_shared_with_any_of_many_roles_until_it_is_deleted(newsroom: Newsroom) -> None:
    database = newsroom.office.club.database
    for number in range(MOST_ROLES + 1):
        text = "INSERT INTO admin_roles (name, code) VALUES ({v1}, {v1})"
        await write(database, text, f"Role {number}")
    last = await database.fetch_value("SELECT max(id) FROM admin_roles")
    try:
        assert (await share(newsroom, view("One", roles=[last])))["roles"] == [last]
        await share(newsroom, view("Two", roles=[EDITOR, last]))
        await share(newsroom, view("Other", roles=[EDITOR, last - 1]))
        assert (await newsroom.ask("DELETE", f"/admin/roles/{last}")).status == 200
        left = [(one["name"], one["roles"]) for one in (await newsroom.ask("GET", PATH)).json["data"]]
        assert left == [("Two", [EDITOR]), ("Other", [EDITOR, last - 1])]
    finally:
        await database.execute("DELETE FROM admin_roles WHERE name LIKE 'Role %'")


async def test_names_are_unique_and_limited_for_simultaneous_requests(newsroom: Newsroom) -> None:
    statuses = [one.status for one in await asyncio.gather(*(newsroom.ask("POST", PATH, view()) for _ in range(4)))]
    assert sorted(statuses) == [200, 400, 400, 400]
    database = newsroom.office.club.database
    for number in range(MOST - 2):
        text = """INSERT INTO octavo_shared_views (uid, name, search, author_id, updated_at)
            VALUES ({v1}, {v2}, '', 1, 0)"""
        await write(database, text, STORY, f"View {number}")
    asked = (newsroom.ask("POST", PATH, view(f"Last {number}")) for number in range(3))
    answers = await asyncio.gather(*asked)
    assert sorted(one.status for one in answers) == [200, 400, 400]
    message = f"A content type can have at most {MOST} shared views. Delete one first"
    assert {one.json["error"]["message"] for one in answers if one.status == 400} == {message}
    before = database.statements
    assert len(await names(newsroom, "ada")) == MOST
    assert database.statements - before <= 5
