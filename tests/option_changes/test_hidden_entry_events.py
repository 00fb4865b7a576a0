"""The change feed, webhooks and cache tags contain no hidden entries."""

import json
from typing import Any

import pytest
from click.testing import CliRunner

from octavo.cli import main
from octavo.core.threads import in_thread
from octavo.events.webhooks.webhook import EVENTS
from tests.api.rest.feed_client import Subscriber, subscribed
from tests.http_services import Answer as Reply
from tests.http_services import Asked, serving
from tests.option_changes.project import Project, Served
from tests.option_changes.test_hidden_entries import prepare

pytestmark = pytest.mark.anyio

_SECRETS = ("hidden note", "secret")


class _Site:
    """The attributes of a site that `subscribed` uses."""

    def __init__(self, served: Served) -> None:
        self.octavo = served.process


async def hidden(project: Project, *arguments: str) -> None:
    def call() -> Any:
        command = ["db", "hidden", *arguments, "--project", str(project.folder)]
        return CliRunner().invoke(main, command, env=dict(project.variables))

    result = await in_thread(call)
    assert result.exit_code == 0, result.output


async def test_webhooks_reveal_no_hidden_entries(project: Project) -> None:
    await prepare(project)
    received: list[Any] = []

    def answer(asked: Asked) -> Reply:
        received.append(json.loads(asked.body))
        return Reply()

    with serving(answer) as url:
        host = url.removeprefix("http://")
        async with project.serve(OCTAVO_SERVER__WEBHOOKS__PRIVATE_HOSTS=host) as served:
            webhooks = served.process.infrastructure.webhooks
            populate = {"topic": True, "notes": True, "note": True, "about": True}
            await webhooks.create(name="deep", url=url, events=EVENTS, populate=populate)
            await webhooks.create(name="plain", url=url, events=EVENTS)
            for path in ("notes/3", "topics/1", "remarks/2"):
                assert (await served.ask("PUT", f"/api/{path}?populate=*", {"data": {"title": "new"}})).status == 200
            await hidden(project, "note", "--delete", "--id", "2")
            assert (await served.ask("DELETE", "/api/notes/3?populate=*")).status == 200
            while await served.database.fetch_value("SELECT count(*) FROM octavo_outbox"):
                await in_thread(lambda: None)
    reported = json.dumps(received)
    assert len([one for one in received if one["event"] == "entry.update"]) == 6
    assert not [text for text in _SECRETS if text in reported], reported
    assert not [one for one in received if one["model"] == "note" and one["entry"]["id"] == 2]


async def test_the_feed_contains_no_hidden_entries(project: Project) -> None:
    await prepare(project)
    async with project.serve(OCTAVO_API__EVENTS__ENABLED="true") as served:
        async with subscribed(_Site(served), "?entry=true") as subscriber:  # type: ignore[arg-type]
            assert (await served.ask("PUT", "/api/notes/3", {"data": {"title": "new"}})).status == 200
            await hidden(project, "note", "--delete", "--id", "2")
            assert (await served.ask("PUT", "/api/notes/1", {"data": {"title": "last"}})).status == 200
            await subscriber.until(lambda: _is_told(subscriber, 1))
        assert {abs(entry_id) for _, entry_id in subscriber.changes} == {1, 3}
        assert not [text for text in _SECRETS if text in subscriber.text]


def _is_told(subscriber: Subscriber, entry_id: int) -> bool:
    return any(found == entry_id for _, found in subscriber.changes)


async def test_tags_name_no_hidden_entries(project: Project) -> None:
    await prepare(project)
    async with project.serve(OCTAVO_API__CACHING__SURROGATE_KEYS__HEADERS="Surrogate-Key") as served:
        answer = await served.ask("GET", "/api/notes/3?populate=*")
        tags = answer.headers["surrogate-key"].split()
        assert "api::note.note:3" in tags
        assert "api::topic.topic:2" not in tags
        listed = (await served.ask("GET", "/api/notes?populate=*")).headers["surrogate-key"].split()
        assert not {"api::note.note:2", "api::topic.topic:2"} & set(listed)
