"""Scheduled publishing over GraphQL: if enabled, for callers who can publish, and never past the project's guards."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from graphql import GraphQLSchema, print_type, validate_schema

from octavo.api.graphql.schema.builder import build_schema
from octavo.content.schedules import TOPIC
from octavo.database.synchronize import continue_ids
from octavo.events.messages import Message
from octavo.operations.runtime.process import build
from octavo.schema.loader import load_registry
from octavo.schema.registry import Registry
from tests.api.graphql.asking import ask, messages
from tests.api.graphql.schema.test_name_conflicts import write
from tests.models.bookshop import FULL_TOKEN, SOME_TOKEN
from tests.models.fixtures import open_copy
from tests.models.site import Site
from tests.models.templates import Copy

pytestmark = pytest.mark.anyio

GENRE = "api::genre.genre"
ON = {"OCTAVO_PLUGINS__GRAPHQL__CONFIG__SCHEDULES": "true"}
LATER, EVEN_LATER = "2999-01-01T00:00:00.000Z", "2999-02-01T00:00:00.000Z"
CLOSED = ["Closed: the code that guards this route is not running"]
DUE_AT = 32_472_144_000_000
PLAN = """mutation ($id: ID!, $data: PublicationScheduleInput!) {
  updateGenreSchedule(id: $id, data: $data) { publishAt until: unpublishAt __typename } }"""
SHOW = "query ($id: ID!) { genreSchedule(id: $id) { publishAt until: unpublishAt } }"
GUARDS = {
    "policies/nobody.py": "def policy(context):\n    return False\n",
    "api/book/routes/book.py": (
        "from octavo import CoreRouter\n\nrouter = CoreRouter(config={'update': {'policies': ['global::nobody']}})\n"
    ),
    "index.py": """
POLICY = {"policies": ["global::nobody"]}
CONFIG = {
    "Mutation.updateGenre": POLICY,
    "Mutation.updateFrontPage": POLICY,
    "Query.frontPageSchedule": {"auth": False},
}


def register(app):
    app.plugin("graphql").service("extension").use({"resolvers_config": CONFIG})
""",
}


@asynccontextmanager
async def served(folder: Path, copy: Copy, heard: list[tuple[str, str]] | None = None) -> AsyncIterator[Site]:
    """Serve the bookshop with these fields: with hooks that record events, or with guards."""
    site = await open_copy(folder, copy, ON)
    if heard is None:
        for name, text in GUARDS.items():
            (folder / "src" / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / "src" / name).write_text(text)
        await site.database.close()
        site = Site(build(site.octavo.settings))
    else:
        app = site.octavo.site.extending.app
        app.on("before_publish", GENRE, lambda told: heard.append((told.action, told.source)))
    await site.octavo.asgi.start()
    await continue_ids(site.database, site.octavo.site.registry)
    yield site
    await site.octavo.asgi.stop()


def planned(publish_at: str | None = None, until: str | None = None) -> dict[str, Any]:
    return {"publishAt": publish_at, "until": until}


async def test_schedules_are_created_shown_canceled_and_carried_out(tmp_path: Path, bookshop_copy: Copy) -> None:
    heard: list[tuple[str, str]] = []
    async with served(tmp_path, bookshop_copy, heard) as site:
        await plan_and_do(site)
        assert heard == [("before_publish", "schedule")]
        await refuse_plans(site)


async def plan_and_do(site: Site) -> None:
    made = await ask(site, 'mutation { createGenre(data: {name: "g"}) { data { id } } }', FULL_TOKEN)
    one = made["data"]["createGenre"]["data"]["id"]
    data = {"publishAt": LATER, "unpublishAt": EVEN_LATER}
    answer = await ask(site, PLAN, FULL_TOKEN, id=one, data=data)
    reported = {**planned(LATER, EVEN_LATER), "__typename": "PublicationSchedule"}
    assert answer == {"data": {"updateGenreSchedule": reported}}
    assert (await ask(site, SHOW, FULL_TOKEN, id=one))["data"]["genreSchedule"] == planned(LATER, EVEN_LATER)
    assert (await ask(site, SHOW, FULL_TOKEN, id=one)) == {"data": {"genreSchedule": planned(LATER, EVEN_LATER)}}
    changed = await ask(site, PLAN, FULL_TOKEN, id=one, data={"unpublishAt": None})
    assert changed["data"]["updateGenreSchedule"]["until"] is None
    due = Message(1, TOPIC, "", {"uid": GENRE, "id": int(one), "plan": "publish", "dueAt": DUE_AT}, 1, 0)
    await site.octavo.site.topics[TOPIC].handler(due)
    shown = await ask(site, f"{{ genre(id: {one}) {{ data {{ attributes {{ publishedAt }} }} }} }}", FULL_TOKEN)
    assert shown["data"]["genre"]["data"]["attributes"]["publishedAt"] == LATER
    assert (await ask(site, SHOW, FULL_TOKEN, id=one))["data"]["genreSchedule"] == planned()


async def refuse_plans(site: Site) -> None:
    one, data = "1", {"publishAt": LATER, "unpublishAt": EVEN_LATER}
    wrong = await ask(site, PLAN, FULL_TOKEN, id=one, data={"publishAt": EVEN_LATER, "unpublishAt": LATER})
    assert messages(wrong) == ["unpublishAt must be later than publishAt"]
    assert messages(await ask(site, PLAN, FULL_TOKEN, id="999999", data=data)) == ["Not Found"]
    assert messages(await ask(site, SHOW, FULL_TOKEN, id="x")) == ["Not Found"]
    for text, variables in ((PLAN, {"id": one, "data": data}), (SHOW, {"id": one})):
        assert messages(await ask(site, text, SOME_TOKEN, **variables)) == ["Forbidden access"]
    french = """mutation ($data: PublicationScheduleInput!) {
      updateFrontPageSchedule(locale: "fr", data: $data) { unpublishAt } }"""
    answer = await ask(site, french, FULL_TOKEN, data={"unpublishAt": "2999-01-01T00:00:00Z"})
    assert answer["data"]["updateFrontPageSchedule"] == {"unpublishAt": LATER}
    assert (await ask(site, "{ frontPageSchedule { unpublishAt } }", FULL_TOKEN))["data"] == {
        "frontPageSchedule": {"unpublishAt": None}
    }


async def test_update_guards_close_schedules(tmp_path: Path, bookshop_copy: Copy) -> None:
    """Guards in any place close them; fields that the project configures itself stay open."""
    async with served(tmp_path, bookshop_copy) as site:
        for field in ("genreSchedule(id: 1)", "bookSchedule(id: 1)"):
            assert messages(await ask(site, f"{{ {field} {{ publishAt }} }}", FULL_TOKEN)) == CLOSED
        for field in ("updateGenreSchedule(id: 1, ", "updateBookSchedule(id: 1, ", "updateFrontPageSchedule("):
            asked = f"mutation {{ {field}data: {{publishAt: null}}) {{ publishAt }} }}"
            assert messages(await ask(site, asked, FULL_TOKEN)) == CLOSED, field
        assert await ask(site, "{ frontPageSchedule { a: publishAt } }") == {"data": {"frontPageSchedule": {"a": None}}}


def test_the_schema_is_that_of_v4_unless_enabled(registry: Registry) -> None:
    def words(schema: GraphQLSchema) -> set[str]:
        roots = (schema.query_type, schema.mutation_type)
        return set(schema.type_map).union(*(kind.fields for kind in roots if kind))

    plain, schema = build_schema(registry), build_schema(registry, schedules=True)
    assert words(schema) - words(plain) == {
        "PublicationSchedule",
        "PublicationScheduleInput",
        *("bookSchedule", "genreSchedule", "frontPageSchedule"),
        *("updateBookSchedule", "updateGenreSchedule", "updateFrontPageSchedule"),
    }
    schema._validation_errors = None  # schemas are built as valid, so validate explicitly
    assert validate_schema(schema) == []


def write_drafts(project: Path, singular: str) -> None:
    """Write the definition of a content type with drafts."""
    write(project, singular, f"{singular}s", {"name": {"type": "string"}})
    path = project / f"src/api/{singular}/content-types/{singular}/schema.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "options": {"draftAndPublish": True}}))


def test_existing_names_are_not_replaced(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write_drafts(tmp_path, "talk")
    write_drafts(tmp_path, "talk-schedule")
    schema = build_schema(load_registry(tmp_path), schedules=True)
    assert schema.query_type is not None
    assert str(schema.query_type.fields["talkSchedule"].type) == "TalkScheduleEntityResponse"
    assert "talkScheduleSchedule" in schema.query_type.fields
    assert "api::talk.talk" in caplog.text
    write_drafts(tmp_path, "publication-schedule")
    caplog.clear()
    schema = build_schema(load_registry(tmp_path), schedules=True)
    assert "name: String" in print_type(schema.type_map["PublicationSchedule"])
    assert schema.query_type is not None
    assert "talkScheduleSchedule" not in schema.query_type.fields
    assert "the name PublicationSchedule is api::publication-schedule.publication-schedule's" in caplog.text
