"""The examples of `docs/hooks.md` work on the sample magazine, and its lists are complete."""

import asyncio
import json
import re
from dataclasses import fields
from pathlib import Path

import pytest

from octavo.events.event import EVENTS, Event
from tests.worked_examples import ROOT, Example, answer, read_examples

pytestmark = pytest.mark.anyio

EXAMPLES = read_examples("hooks.md")
PAGE = (ROOT / "docs/hooks.md").read_text(encoding="utf-8")
CALLING, MAILING, REFUSING = "app.http", "app.mail", "There are articles"
SECONDS = 120


def is_about(example: Example, word: str) -> bool:
    return any(word in text for text in example.files.values())


ALONE = [item for item in EXAMPLES if not any(is_about(item, word) for word in (CALLING, MAILING, REFUSING))]


@pytest.mark.parametrize("example", [pytest.param(item, id=item.title) for item in ALONE])
async def test_worked_example(magazine: Path, tmp_path: Path, example: Example) -> None:
    assert example.data is not None
    assert await answer(magazine, tmp_path, example) == example.data


async def test_a_tag_of_articles_is_not_removed(magazine: Path, tmp_path: Path) -> None:
    [example] = [item for item in EXAMPLES if is_about(item, REFUSING)]
    assert (await answer(magazine, tmp_path, example))["tags"]["data"] != []


async def test_a_mail_is_sent_after_the_commit(magazine: Path, tmp_path: Path) -> None:
    [example] = [item for item in EXAMPLES if is_about(item, MAILING)]
    mails = tmp_path / "site/.octavo/mail"

    async def until_sent() -> None:
        async with asyncio.timeout(SECONDS):
            while not list(mails.glob("*.eml")):  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.01)

    await answer(magazine, tmp_path, example, until_sent)
    [mail] = mails.glob("*.eml")
    assert "Bread rises is published." in mail.read_text("utf-8")


async def test_a_url_is_called_after_the_commit(magazine: Path, tmp_path: Path) -> None:
    [example] = [item for item in EXAMPLES if is_about(item, CALLING)]
    called: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(re.search(rb"content-length: (\d+)", head.lower())[1])  # type: ignore[index]
        body = await reader.readexactly(length)
        writer.write(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()
        if not called.done():
            called.set_result(body)

    async def until_called() -> None:
        async with asyncio.timeout(SECONDS):
            await asyncio.shield(called)

    server = await asyncio.start_server(take, "127.0.0.1", 0)
    async with server:
        search = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        variables = {"OCTAVO_SERVER__CUSTOM__SEARCH": search, "OCTAVO_SERVER__HTTP__PRIVATE_HOSTS": "127.0.0.1"}
        await answer(magazine, tmp_path, example, until_called, **variables)
    assert json.loads(called.result())["title"] == "Found"


def test_every_event_and_its_attributes_are_documented() -> None:
    words = set(re.findall(r"`([a-z_.]+)`", PAGE))
    many = {f"{moment}_{action}_many" for moment in ("before", "after") for action in ("update", "delete")}
    assert set(EVENTS) - words == many
    reported = {word.partition(".")[0] for word in words}
    assert {field.name for field in fields(Event)} - reported == set()


def test_examples_are_short() -> None:
    hooks = [text for item in EXAMPLES for name, text in item.files.items() if name.endswith("lifecycles.py")]
    assert [text for text in hooks if len([line for line in text.splitlines()[1:] if line.strip()]) > 10] == []
