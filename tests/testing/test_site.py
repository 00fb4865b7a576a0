"""`octavo.testing` on each database: a project in a test, reset between tests."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from octavo.core.errors import ApplicationError, ValidationError
from octavo.testing import CannotMake, GraphqlFailed, NotDelivered, Site, open_site
from tests.modeling.typings.projects import write_project
from tests.postgresql_server import PostgresqlServer

pytestmark = pytest.mark.anyio
TALK, SPEAKER, WELCOME = "api::talk.talk", "api::speaker.speaker", "api::welcome.welcome"
INDEX = """
async def bootstrap(app):
    await app.entries("api::speaker.speaker").create({"name": "of the start"})
"""
HOOKS = """
async def after_commit_create(event):
    if event.result["title"] == "fails":
        raise ValueError("as it should")
    await event.app.entries("api::speaker.speaker").create({"name": event.result["title"]})
"""


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
async def opened(
    request: pytest.FixtureRequest, anyio_backend: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Site]:
    project = write_project(tmp_path_factory.mktemp("conference"))
    (project / "src/index.py").write_text(INDEX)
    (project / "src/api/talk/content-types/talk/lifecycles.py").write_text(HOOKS)
    (project / ".env").write_text("DATABASE_FILENAME=/nowhere/at/all.db\n")
    if request.param == "sqlite":
        async with open_site(project) as site:
            yield site
        return
    server: PostgresqlServer = request.getfixturevalue("postgresql_server")
    url = server.create_database()
    async with open_site(project, database=url) as site:
        yield site
    server.drop_database(url)


@pytest.fixture
async def site(opened: Site) -> Site:
    await opened.reset()
    return opened


async def test_requests_of_the_public(site: Site) -> None:
    talk = await site.make(TALK, title="Bread")
    assert (await site.get("/api/talks")).status_code == 403
    await site.allow("public", f"{TALK}.find*")
    found = await site.get("/api/talks", query={"filters": {"title": {"$in": ["Bread", "Butter"]}}})
    assert [entry["id"] for entry in found.json()["data"]] == [talk.id]
    await site.forbid("public", f"{TALK}.find")
    assert (await site.get("/api/talks")).status_code == 403
    await site.role("editor", f"{SPEAKER}.*")
    ann = await site.user("ann", role="editor")
    made = await site.post("/api/speakers", json={"data": {"name": "Bob"}}, as_user=ann)
    assert made.status_code == 200
    token = await site.token("custom", f"{SPEAKER}.delete")
    assert (await site.delete(f"/api/speakers/{made.json()['data']['id']}", token=token)).status_code == 200
    login = {"identifier": ann.email, "password": ann.password}
    assert (await site.post("/api/auth/local", json=login)).json()["user"]["id"] == ann.id
    await site.allow("public", "plugin::upload.content-api.upload")
    sent = await site.post("/api/upload", files={"files": ("a.txt", b"hello", "text/plain")})
    assert [file.name for file in (site.folder / "public/uploads").iterdir()] == [sent.json()[0]["url"].split("/")[-1]]


async def test_each_test_begins_with_the_start(site: Site) -> None:
    speakers = site.app.entries(SPEAKER)
    assert [entry["name"] for entry in await speakers.find_many()] == ["of the start"]
    assert (await site.make(SPEAKER)).id == 2
    assert (await site.get("/api/talks")).status_code == 403
    assert list((site.folder / "public/uploads").iterdir()) == []
    assert site.mails == []


async def test_required_attributes_get_values(site: Site) -> None:
    welcome = await site.make(WELCOME)
    found = await site.app.entries(WELCOME).find_one(welcome.id, populate=["quote"])
    assert found is not None
    assert found["quote"]["text"][0]["type"] == "paragraph"
    body = [{"__component": "talk.part"}, {"__component": "talk.quote", "by": await site.make(SPEAKER)}]
    talk = await site.make(TALK, body=body, publishedAt=None)
    assert (talk["title"][:6], talk["level"], talk["publishedAt"]) == ("title ", "easy", None)
    with pytest.raises(CannotMake, match="no attribute 'titel'"):
        await site.make(TALK, titel="x")
    with pytest.raises(ValidationError):
        await site.make(TALK, level="neither")


async def test_graphql(site: Site) -> None:
    await site.allow("public", f"{SPEAKER}.find")
    query = "query ($name: String) { speakers(filters: {name: {eq: $name}}) { data { id } } }"
    assert await site.graphql(query, {"name": "of the start"}) == {"speakers": {"data": [{"id": "1"}]}}
    with pytest.raises(GraphqlFailed, match="Forbidden access"):
        await site.graphql("{ talks { data { id } } }")


async def test_the_clock_is_moved_and_put_back(site: Site) -> None:
    await site.allow("authenticated", "plugin::users-permissions.user.me")
    ann = await site.user("ann")
    site.move_clock(timedelta(days=29))
    assert (await site.get("/api/users/me", as_user=ann)).status_code == 200
    site.move_clock(timedelta(days=2))
    assert (await site.get("/api/users/me", as_user=ann)).status_code == 401
    later = (await site.make(SPEAKER))["createdAt"]
    await site.reset()
    assert (await site.make(SPEAKER))["createdAt"] < later


async def test_mails_and_callbacks_after_changes(site: Site) -> None:
    await site.make(TALK, title="Bread")
    speakers = site.app.entries(SPEAKER)
    assert await speakers.count() == 1
    assert (await site.deliver(), await speakers.count()) == (1, 2)
    await site.make(TALK, title="fails")
    with pytest.raises(NotDelivered, match="as it should"):
        await site.deliver()
    ann = await site.user("ann")
    await site.post("/api/auth/forgot-password", json={"email": ann.email})
    [mail] = site.mails
    assert (mail.to, mail.subject) == (ann.email, "Choose a new password")
    assert mail.text
    assert mail.html


async def test_errors_are_reported(site: Site, tmp_path: Path) -> None:
    with pytest.raises(ApplicationError, match="did you mean"):
        await site.allow("public", "api::talk.talk.finde")
    with pytest.raises(CannotMake, match="unknown role 'boss'; the roles are authenticated, public"):
        await site.user(role="boss")
    with pytest.raises(ValueError, match="postgresql://"):
        async with open_site(tmp_path, database="mysql://x"):
            pass
