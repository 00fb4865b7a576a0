"""Webhooks of a service on each database: deliveries in v4's format, and their results."""

import asyncio
import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from octavo.core.clock import this_moment
from octavo.core.errors import NotFoundError, ValidationError
from octavo.events.dead_letters import DeadLetters
from octavo.events.webhooks.http_sender import sign
from tests.events.webhooks.newsroom import PATIENCE, UID, Newsroom, settled
from tests.http_services import Answer as Reply

pytestmark = pytest.mark.anyio

FILE = (
    b'--XX\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nhello'
    b"\r\n--XX--\r\n"
)


def soon(milliseconds: int) -> str:
    """Return a time that passes during the test."""
    moment = datetime.fromtimestamp((this_moment() + milliseconds) / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


async def until(true: Callable[[], Any]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not true():  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.005)


async def test_the_life_of_an_entry_in_the_terms_of_v4(newsroom: Newsroom) -> None:
    await newsroom.hook("/life", headers={"X-Own": "a b"})
    entry_id = await newsroom.make(note="secret", code="secret", publishedAt=None)
    path = f"articles/{entry_id}"
    await newsroom.ask("PUT", path, {"title": "two"})
    await newsroom.ask("PUT", path, {"publishedAt": "2024-01-02T03:04:05.000Z"})
    await newsroom.ask("PUT", path, {"publishedAt": None})
    await newsroom.ask("DELETE", path)
    await settled(newsroom)
    listener = newsroom.listener
    assert listener.events("/life") == [
        "entry.create",
        "entry.update",
        "entry.update",
        "entry.publish",
        "entry.update",
        "entry.unpublish",
        "entry.delete",
    ]
    first, *_, last = listener.bodies("/life")
    assert list(first) == ["event", "createdAt", "model", "uid", "entry"]
    assert (first["model"], first["uid"]) == ("article", UID)
    assert list(first["entry"]) == ["id", "title", "createdAt", "updatedAt", "publishedAt"]
    assert (first["entry"]["id"], first["entry"]["title"], last["entry"]["title"]) == (entry_id, "one", "two")
    assert datetime.fromisoformat(first["createdAt"]).tzinfo is not None
    headers = listener.at("/life")[0].headers
    assert headers["x-strapi-event"] == "entry.create"
    assert headers["content-type"] == "application/json"
    assert headers["x-own"] == "a b"


async def test_publications_in_the_future_send_events(newsroom: Newsroom) -> None:
    await newsroom.hook("/planned", events=["entry.publish", "entry.unpublish"])
    entry_id = await newsroom.make(publishedAt=None)
    times = {"publishAt": soon(300), "unpublishAt": soon(301)}
    assert (await newsroom.ask("PUT", f"articles/{entry_id}/actions/schedule", times)).status == 200
    listener = newsroom.listener
    await until(lambda: len(listener.at("/planned")) == 2)  # nothing to deliver between the two
    assert listener.events("/planned") == ["entry.publish", "entry.unpublish"]
    assert listener.bodies("/planned")[0]["entry"]["publishedAt"] == times["publishAt"]


async def test_frequent_deletes_send_the_entry_and_remove_its_schedules(newsroom: Newsroom) -> None:
    await newsroom.hook("/deleted", events=["entry.delete"])
    titles = [f"t{number}" for number in range(6)]
    for title in titles:
        entry_id = await newsroom.make(title=title, publishedAt=None)
        times = {"publishAt": "2999-01-01T00:00:00.000Z"}
        assert (await newsroom.ask("PUT", f"articles/{entry_id}/actions/schedule", times)).status == 200
        assert (await newsroom.ask("DELETE", f"articles/{entry_id}")).status == 200
        assert (await newsroom.ask("DELETE", f"articles/{entry_id}")).status == 404
    await settled(newsroom)
    assert sorted(body["entry"]["title"] for body in newsroom.listener.bodies("/deleted")) == titles
    database = newsroom.octavo.database
    assert await database.fetch_value("SELECT count(*) FROM octavo_schedules") == 0
    assert await database.fetch_value("SELECT count(*) FROM octavo_outbox WHERE topic = 'publication'") == 0


async def test_failed_schedules_send_events(newsroom: Newsroom) -> None:
    await newsroom.hook("/failed", events=["entry.schedule_failed"])
    entry_id = await newsroom.make(publishedAt=None)
    due = soon(1000)
    times = {"publishAt": due}
    assert (await newsroom.ask("PUT", f"articles/{entry_id}/actions/schedule", times)).status == 200
    assert (await newsroom.ask("PUT", f"articles/{entry_id}", {"title": None})).status == 200
    await until(lambda: len(newsroom.listener.at("/failed")) == 1)
    [reported] = newsroom.listener.bodies("/failed")
    assert (reported["event"], reported["uid"], reported["entry"]["id"]) == ("entry.schedule_failed", UID, entry_id)
    assert (reported["plan"], reported["dueAt"]) == ("publish", due)
    assert "title" in reported["error"]


async def test_every_publication_and_unpublication_sends_an_event(newsroom: Newsroom) -> None:
    """Also after many bodies of the same shape, which are cached."""
    await newsroom.hook("/often", events=["entry.publish", "entry.unpublish"])
    entry_id = await newsroom.make(publishedAt=None)
    times = [f"2020-01-0{day}T00:00:00.000Z" for day in range(1, 7)]
    for time in times:
        for moment in (time, None):
            assert (await newsroom.ask("PUT", f"articles/{entry_id}", {"publishedAt": moment})).status == 200
    listener = newsroom.listener
    await until(lambda: len(listener.at("/often")) == 2 * len(times))
    assert listener.events("/often") == ["entry.publish", "entry.unpublish"] * len(times)
    reported = [body["entry"]["publishedAt"] for body in listener.bodies("/often")]
    assert reported == [moment for time in times for moment in (time, None)]


async def test_new_entries_keep_their_time_of_publication(newsroom: Newsroom) -> None:
    for day in range(1, 7):
        time = f"2020-01-0{day}T00:00:00.000Z"
        entry_id = await newsroom.make(publishedAt=time)
        found = (await newsroom.ask("GET", f"articles/{entry_id}")).json["data"]
        assert found["attributes"]["publishedAt"] == time


async def test_messages_are_signed_by_the_standard(newsroom: Newsroom) -> None:
    webhook = await newsroom.hook("/signed", events=["entry.create"])
    await newsroom.make()
    await until(lambda: newsroom.listener.at("/signed"))
    (asked,) = newsroom.listener.at("/signed")
    assert webhook.secret is not None
    key = base64.b64decode(webhook.secret.removeprefix("whsec_"))
    signed = f"{asked.headers['webhook-id']}.{asked.headers['webhook-timestamp']}.".encode() + asked.body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert asked.headers["webhook-signature"] == f"v1,{expected}"
    renewed = await newsroom.webhooks.renew_secret(webhook.id, 3600)
    assert webhook.secret not in repr(renewed)
    await newsroom.make()
    await until(lambda: len(newsroom.listener.at("/signed")) == 2)
    both = newsroom.listener.at("/signed")[1]
    sent = both.headers["webhook-id"], int(both.headers["webhook-timestamp"]), both.body
    assert both.headers["webhook-signature"].split() == [sign(str(renewed.secret), *sent), sign(webhook.secret, *sent)]
    stored = await newsroom.webhooks.get(webhook.id)
    assert stored.former is not None
    assert stored.signing_secrets(stored.former.until - 1) == (renewed.secret, webhook.secret)
    assert stored.signing_secrets(stored.former.until) == (renewed.secret,)
    await newsroom.webhooks.update(webhook.id, secret=None)
    await newsroom.make()
    await until(lambda: len(newsroom.listener.at("/signed")) == 3)
    assert "webhook-signature" not in newsroom.listener.at("/signed")[2].headers


async def test_types_locales_events_and_populate_are_chosen(newsroom: Newsroom) -> None:
    listener = newsroom.listener
    await newsroom.hook("/places", types=["api::pl*"], locales=["fr"])
    await newsroom.hook("/populated", types=[UID], populate=["stories", "nothing"], events=["entry.create"])
    await newsroom.hook("/off", enabled=False)
    database = newsroom.octavo.database
    await database.execute("INSERT INTO i18n_locale (name, code) VALUES ('fr', 'fr')")
    newsroom.octavo.infrastructure.locales.forget()
    story = (await newsroom.ask("POST", "stories", {"title": "s"})).json["data"]["id"]
    await newsroom.make(stories=[story])
    for locale in ("en", "fr"):
        assert (await newsroom.ask("POST", "places", {"name": locale, "locale": locale})).status == 200
    await settled(newsroom)
    assert [body["entry"]["name"] for body in listener.bodies("/places")] == ["fr"]
    assert [one["title"] for one in listener.bodies("/populated")[0]["entry"]["stories"]] == ["s"]
    assert listener.at("/off") == []


async def test_failed_deliveries_are_retried_and_logged(newsroom: Newsroom) -> None:
    webhook = await newsroom.hook("/fails", events=["entry.create"], types=[UID])
    newsroom.listener.first["/fails"] = [Reply(500, b"no " * 5000)]
    await newsroom.make()
    await until(lambda: newsroom.listener.at("/fails"))

    async def attempts(count: int) -> Any:
        async with asyncio.timeout(PATIENCE):
            while True:
                found = await newsroom.webhooks.deliveries(webhook.id)
                if found and found[0].attempts == count:
                    return found[0]
                await newsroom.octavo.database.execute(
                    "UPDATE octavo_outbox SET due_at = 0 WHERE holder IS NULL AND attempts > 0"
                )
                newsroom.octavo.infrastructure.outbox.wake()
                await asyncio.sleep(0.02)

    first = newsroom.listener.at("/fails")[0]
    done = await attempts(2)
    assert (done.delivered, done.status, done.error) == (True, 200, None)
    assert done.message_id == first.headers["webhook-id"] == newsroom.listener.at("/fails")[1].headers["webhook-id"]
    assert json.loads(done.body) == json.loads(first.body)
    await settled(newsroom)
    await newsroom.webhooks.redeliver(done.message_id)
    again = await attempts(3)
    assert newsroom.listener.at("/fails")[2].body == first.body
    assert again.sent_at >= done.sent_at
    with pytest.raises(NotFoundError):
        await newsroom.webhooks.redeliver("msg_none")


async def test_a_test_delivery_returns_its_result(newsroom: Newsroom) -> None:
    webhook = await newsroom.hook("/tried", enabled=False)
    answer = await newsroom.webhooks.test(webhook.id)
    assert (answer.status, answer.error) == (200, None)
    assert newsroom.listener.events("/tried") == ["trigger-test"]
    newsroom.listener.first["/tried"] = [Reply(302, b"\0moved", {"Location": newsroom.url + "/elsewhere"})]
    answer = await newsroom.webhooks.test(webhook.id)
    assert answer.error == "the response was 302; redirects are not followed"
    assert newsroom.listener.at("/elsewhere") == []
    log = await newsroom.webhooks.deliveries(webhook.id)
    assert [(one.event, one.delivered, one.status) for one in log] == [
        ("trigger-test", False, 302),
        ("trigger-test", True, 200),
    ]


@pytest.mark.parametrize(
    "url",
    [
        *("http://127.0.0.1:9/", "http://localhost:9/", "https://127.1:9/", "http://2130706433:9/", "http://0x7f.1:9/"),
        *("http://[::1]:9/", "http://[::ffff:127.0.0.1]:9/", "http://169.254.169.254/latest", "http://10.0.0.1/"),
        *("http://192.168.0.1/", "http://0.0.0.0/", "http://[fe80::1]/", "http://[64:ff9b::7f00:1]/"),
    ],
)
async def test_webhooks_to_private_addresses_are_refused(newsroom: Newsroom, url: str) -> None:
    webhook = await newsroom.webhooks.create(name="private", url=url, events=["entry.create"], enabled=False)
    answer = await newsroom.webhooks.test(webhook.id)
    assert answer.status is None
    assert "to privateHosts in [webhooks] of config/server.toml" in (answer.error or "")
    await newsroom.webhooks.delete(webhook.id)


async def test_a_webhook_whose_url_is_gone_is_disabled(newsroom: Newsroom) -> None:
    webhook = await newsroom.hook("/gone", events=["entry.delete"])
    entry_id = await newsroom.make()
    await settled(newsroom)
    newsroom.listener.reply = Reply(410)
    await newsroom.ask("DELETE", f"articles/{entry_id}")
    await settled(newsroom)
    found = await newsroom.webhooks.get(webhook.id)
    assert (found.enabled, found.disabled_because) == (False, "the URL returned 410 Gone")
    letters = await DeadLetters(newsroom.octavo.database, newsroom.octavo.infrastructure.outbox).list("webhook")
    assert "the response was 410" in letters[0].error
    assert (await newsroom.webhooks.update(webhook.id, enabled=True)).disabled_because is None


async def test_a_repeatedly_failing_webhook_is_disabled(newsroom: Newsroom) -> None:
    webhook = await newsroom.hook("/bad")
    for _ in range(2):
        await newsroom.webhooks.count_failure(webhook.id, 3)
    assert (await newsroom.webhooks.get(webhook.id)).failures == 2
    await newsroom.webhooks.clear_failures(webhook.id)
    for _ in range(3):
        await newsroom.webhooks.count_failure(webhook.id, 3)
    found = await newsroom.webhooks.get(webhook.id)
    assert (found.enabled, found.failures) == (False, 3)
    assert found.disabled_because == "3 messages in a row could not be delivered"


async def test_errors_in_a_webhook_are_reported_with_their_path(newsroom: Newsroom) -> None:
    wrong = {
        "name": " ",
        "url": "ftp://x",
        "headers": {"Host": "x", "a": "b"},
        "events": ["entry.made"],
        "enabled": "yes",
        "secret": "whsec_x",
        "types": "api::x.x",
        "colour": "red",
    }
    with pytest.raises(ValidationError) as raised:
        await newsroom.webhooks.create(**wrong)
    assert raised.value.details is not None
    assert [one["path"] for one in raised.value.details["errors"]] == [
        ["name"],
        ["url"],
        ["headers", "Host"],
        ["events"],
        ["enabled"],
        ["secret"],
        ["types"],
        ["colour"],
    ]
    with pytest.raises(ValidationError, match="requires url, events"):
        await newsroom.webhooks.create(name="x")
    with pytest.raises(NotFoundError):
        await newsroom.webhooks.update(4_000, name="x")


async def test_files_and_users_send_events_and_deleted_webhooks_lose_their_messages(newsroom: Newsroom) -> None:
    webhook = await newsroom.hook("/all", types=["plugin::*"])
    user = {"username": "ann", "email": "ann@example.org", "password": "secret-of-ann", "role": 1}
    assert (await newsroom.send("POST", "users", json.dumps(user).encode())).status == 201
    file = (await newsroom.send("POST", "upload", FILE, "multipart/form-data; boundary=XX")).json[0]["id"]
    info = b'--XX\r\nContent-Disposition: form-data; name="fileInfo"\r\n\r\n{"caption":"c"}\r\n--XX--\r\n'
    assert (await newsroom.send("POST", f"upload?id={file}", info, "multipart/form-data; boundary=XX")).status == 200
    assert (await newsroom.ask("DELETE", f"upload/files/{file}")).status == 200
    await settled(newsroom)
    listener = newsroom.listener
    bodies = {body["event"]: body for body in listener.bodies("/all") if body.get("model") != "folder"}
    of_the_file = [event for event in listener.events("/all") if event != "entry.create"]
    assert of_the_file == ["media.create", "entry.update", "media.update", "media.delete"]
    made = bodies["entry.create"]
    assert (made["model"], made["entry"]["username"]) == ("user", "ann")
    assert "password" not in made["entry"]
    assert made["entry"]["role"]["type"] == "authenticated"
    assert list(bodies["media.create"]) == ["event", "createdAt", "media"]
    assert (bodies["media.update"]["media"]["caption"], bodies["media.delete"]["media"]["id"]) == ("c", file)
    assert await newsroom.webhooks.deliveries(webhook.id)
    await newsroom.webhooks.delete(webhook.id)
    database = newsroom.octavo.database
    left = f"SELECT count(*) FROM octavo_webhook_deliveries WHERE webhook_id = {webhook.id}"
    assert await database.fetch_value(left) == 0
    with pytest.raises(NotFoundError):
        await newsroom.webhooks.deliveries(webhook.id)


async def test_no_message_is_stored_without_webhooks(newsroom: Newsroom) -> None:
    await newsroom.hook("/off", enabled=False)
    await newsroom.hook("/other", types=["api::place.place"])
    await newsroom.make()
    assert await newsroom.octavo.database.fetch_value("SELECT count(*) FROM octavo_outbox") == 0


async def test_results_are_recorded_while_the_service_is_read_only(newsroom: Newsroom) -> None:
    hook = await newsroom.hook("/a")
    newsroom.octavo.database.read_only_message = "Back at 6 pm"
    try:
        assert (await newsroom.webhooks.test(hook.id)).error is None
        assert len(await newsroom.webhooks.deliveries(hook.id)) == 1
        await newsroom.webhooks.count_failure(hook.id, 0)
        assert (await newsroom.webhooks.get(hook.id)).failures == 1
        await newsroom.webhooks.clear_failures(hook.id)
        await newsroom.webhooks.switch_off(hook.id, "the URL returned 410 Gone")
        assert not (await newsroom.webhooks.get(hook.id)).enabled
    finally:
        newsroom.octavo.database.read_only_message = None
