"""Entries hidden by a change of options are in no API, and no other entries are hidden."""

from typing import Any

import pytest

from octavo.core.errors import NotFoundError
from octavo.query.sql.served_rows import served_rows
from tests.option_changes.cases import Raw, raw_type
from tests.option_changes.project import Project, Served

pytestmark = pytest.mark.anyio

_TO_TOPIC = {"type": "relation", "relation": "manyToOne", "target": "api::topic.topic", "inversedBy": "notes"}
_TO_NOTES = {"type": "relation", "relation": "oneToMany", "target": "api::note.note", "mappedBy": "topic"}
_ABOUT = {"type": "relation", "relation": "morphToMany"}
_ADMIN = {"firstname": "Ada", "email": "ada@example.com", "password": "Correct-Horse-7"}
_JSON_IDS = "fields=title&pagination[limit]=100"


def types(*, drafts: bool) -> tuple[Raw, Raw, Raw]:
    """Return the types notes, topics, and remarks about notes."""
    slug = {"type": "uid", "targetField": "title"}
    return (
        raw_type("topic", {"notes": _TO_NOTES}, drafts=drafts),
        raw_type("note", {"topic": _TO_TOPIC, "slug": slug, "code": {"type": "string", "unique": True}}, drafts=drafts),
        raw_type("remark", {"about": _ABOUT, "note": {**_TO_TOPIC, "target": "api::note.note", "inversedBy": None}}),
    )


async def prepare(project: Project) -> None:
    """Create two published notes and a draft, a published topic and a draft topic."""
    topic, note, remark = types(drafts=True)
    project.write_types(topic, note, _without_none(remark))
    async with project.serve() as served:
        made: list[int] = []
        draft = {"publishedAt": None}
        await served.send(topic, ({"title": "open"}, {"title": "secret", **draft}), made)
        notes = (
            {"title": "first", "topic": 1, "code": "a"},
            {"title": "hidden note", "topic": 2, "code": "b", **draft},
            {"title": "third", "topic": 2, "code": "c"},
        )
        await served.send(note, notes, made)
        about = [{"id": each, "__type": "api::note.note"} for each in (1, 2)]
        await served.send(
            remark, ({"title": "shown", "note": 1}, {"title": "of hidden", "note": 2, "about": about}), made
        )
    topic, note, remark = types(drafts=False)
    project.write_types(topic, note, _without_none(remark))


def _without_none(raw: Raw) -> Raw:
    attributes = {
        name: {key: value for key, value in attribute.items() if value is not None}
        for name, attribute in raw["attributes"].items()
    }
    return {**raw, "attributes": attributes}


async def titles(served: Served, path: str) -> list[str]:
    answer = await served.ask("GET", path)
    assert answer.status == 200, answer.body
    return [each["attributes"]["title"] for each in answer.json["data"]]


async def test_rest_serves_no_hidden_entries(project: Project) -> None:
    await prepare(project)
    async with project.serve() as served:
        shown = (await served.ask("GET", f"/api/notes?{_JSON_IDS}")).json
        assert [each["attributes"]["title"] for each in shown["data"]] == ["first", "third"]
        assert shown["meta"]["pagination"]["total"] == 2
        for query in (
            "publicationState=preview",
            "_q=hidden",
            "filters[title]=hidden note",
            "filters[topic][title]=secret",
        ):
            assert "hidden note" not in await titles(served, f"/api/notes?{query}")
        assert await titles(served, "/api/notes?filters[topic][title]=secret") == []
        assert await titles(served, "/api/notes?filters[id]=2") == []
        assert await titles(served, "/api/remarks?filters[note][title]=hidden note") == []
        assert await titles(served, "/api/notes?pagination[start]=1&pagination[limit]=1&sort=title:desc") == ["first"]
        assert await titles(served, "/api/notes?sort=topic.title:desc,title") in (
            ["first", "third"],
            ["third", "first"],
        )
        for method, body in (("GET", None), ("PUT", {"data": {"title": "x"}}), ("DELETE", None)):
            answer = await served.ask(method, "/api/notes/2", body)
            assert answer.status == 404, answer.body
        rows = await served.database.fetch_all("SELECT title FROM notes ORDER BY id")
        assert [row[0] for row in rows] == ["first", "hidden note", "third"]


async def test_no_relation_contains_hidden_entries(project: Project) -> None:
    await prepare(project)
    async with project.serve() as served:
        third = (await served.ask("GET", "/api/notes/3?populate=*")).json["data"]["attributes"]
        assert third["topic"] == {"data": None}
        topic = (await served.ask("GET", "/api/topics/1?populate[notes][count]=true")).json["data"]["attributes"]
        assert topic["notes"] == {"data": {"attributes": {"count": 1}}}
        remark = (await served.ask("GET", "/api/remarks/2?populate=*")).json["data"]["attributes"]
        assert remark["note"] == {"data": None}
        assert [each["title"] for each in remark["about"]] == ["first"]
        for relation in (2, {"connect": [2]}, {"set": [{"id": 2}]}):
            answer = await served.ask("PUT", "/api/notes/1", {"data": {"topic": relation}})
            assert answer.status == 400, answer.body
        assert (await served.ask("POST", "/api/notes", {"data": {"title": "x", "topic": 2}})).status == 400


async def test_graphql_serves_no_hidden_entries(project: Project) -> None:
    await prepare(project)
    async with project.serve() as served:
        asked = """{ notes { data { id attributes { title topic { data { id } } } } meta { pagination { total } } }
                     note(id: 2) { data { id } } remark(id: 2) { data { attributes { note { data { id } } } } } }"""
        found = (await served.graphql(asked))["data"]
        assert [each["id"] for each in found["notes"]["data"]] == ["1", "3"]
        assert found["notes"]["data"][1]["attributes"]["topic"]["data"] is None
        assert found["notes"]["meta"]["pagination"]["total"] == 2
        assert found["note"] == {"data": None}
        assert found["remark"]["data"]["attributes"]["note"]["data"] is None
        changed = await served.graphql('mutation { updateNote(id: 2, data: {title: "x"}) { data { id } } }')
        assert changed["data"]["updateNote"] == {"data": None}
        gone = await served.graphql("mutation { deleteNote(id: 2) { data { id } } }")
        assert gone["data"]["deleteNote"] == {"data": None}
        assert await served.database.fetch_value("SELECT title FROM notes WHERE id = 2") == "hidden note"


async def test_administrators_see_no_hidden_entries(project: Project) -> None:
    await prepare(project)
    async with project.serve() as served:
        token = (await served.ask("POST", "/admin/register-admin", _ADMIN)).json["data"]["token"]
        base = "/content-manager/collection-types/api::note.note"
        listed = (await served.ask("GET", base, token=token)).json
        assert [each["title"] for each in listed["results"]] == ["first", "third"]
        assert listed["pagination"]["total"] == 2
        assert [each["topic"] for each in listed["results"]][1] in (None, {"count": 0})
        for method, path, body in (
            ("GET", f"{base}/2", None),
            ("PUT", f"{base}/2", {"title": "x"}),
            ("DELETE", f"{base}/2", None),
            ("GET", "/content-manager/relations/api::note.note/2/topic", None),
        ):
            assert (await served.ask(method, path, body, token)).status == 404, path
        await served.ask("POST", f"{base}/actions/bulkDelete", {"ids": [2]}, token)
        candidates = await served.ask(
            "GET", "/content-manager/relations/api::note.note/topic?idsToOmit[]=9", token=token
        )
        assert [each["id"] for each in candidates.json["results"]] == [1]
        related = (await served.ask("GET", "/content-manager/relations/api::note.note/3/topic", token=token)).json
        assert related["data"] is None
        assert await served.database.fetch_value("SELECT title FROM notes WHERE id = 2") == "hidden note"


async def test_code_sees_no_hidden_entries(project: Project) -> None:
    await prepare(project)
    async with project.serve() as served:
        app: Any = served.process.site.extending.app
        notes = app.entries("api::note.note")
        assert [each["title"] for each in await notes.find_many()] == ["first", "third"]
        assert await notes.find_one(2) is None
        assert await notes.count() == 2
        with pytest.raises(NotFoundError):
            await notes.update(2, {"title": "x"})
        with pytest.raises(NotFoundError):
            await notes.delete(2)
        rows = await app.query("api::note.note").select("title").rows()
        assert [row["title"] for row in rows] == ["first", "third"]


async def test_hidden_values_count_as_taken(project: Project) -> None:
    """No duplicates occur when hidden entries are published later."""
    await prepare(project)
    async with project.serve() as served:
        answer = await served.ask("POST", "/api/notes", {"data": {"title": "x", "code": "b"}})
        assert (answer.status, answer.json["error"]["message"]) == (400, "This attribute must be unique")


async def test_only_existing_entries_are_hidden(project: Project) -> None:
    """Later rows with an empty `published_at` are served, even after further starts."""
    await prepare(project)
    for number in range(2):
        async with project.serve() as served:
            await served.database.execute(f"INSERT INTO notes (title) VALUES ('later {number}')")
            expected = ["first", "third", *(f"later {each}" for each in range(number + 1))]
            assert await titles(served, f"/api/notes?{_JSON_IDS}") == expected


async def test_only_types_with_hidden_entries_are_read_otherwise(project: Project) -> None:
    await prepare(project)
    async with project.serve() as served:
        registry, dialect = served.process.site.registry, served.database.dialect
        tables = {
            each.uid: served_rows(each, registry, dialect) == dialect.quote(each.collection_name)
            for each in registry.content_types.values()
        }
        assert {uid for uid, plain in tables.items() if not plain} == {"api::note.note", "api::topic.topic"}
