"""`app` besides content: mail, HTTP requests, a cache, v4's store, and custom settings."""

import asyncio
import email.policy
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from email.message import EmailMessage
from email.parser import BytesParser
from pathlib import Path
from typing import Any

import pytest

from octavo.core.cache import CacheBudget
from octavo.core.clock import Clock
from octavo.core.mail.folder import FolderMailer
from octavo.core.mail.mailers import MailProblem
from octavo.core.net.outgoing import MOST_REDIRECTS
from octavo.sdk.app import App
from octavo.sdk.code_cache import CodeCache
from octavo.sdk.custom_settings import Custom, MissingSetting
from octavo.sdk.http_client import HttpClient, HttpError
from octavo.sdk.mail import Mail
from octavo.settings import SettingsError, load_settings
from tests.models.site import Site
from tests.raising import raising

pytestmark = pytest.mark.anyio


class Requests(list[dict[str, Any]]):
    """Requests that a server has received."""


@asynccontextmanager
async def serving(*answers: bytes) -> AsyncIterator[tuple[int, Requests]]:
    """Serve responses in order, and repeat the last one."""
    asked = Requests()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        asked.append({"line": head[0], "headers": headers, "body": body})
        answer = answers[min(len(asked), len(answers)) - 1]
        if not answer:
            await reader.read()
        writer.write(answer)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1], asked


def said(status: str, body: bytes = b"", *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


def http(port: int, seconds: float = 20, most_bytes: int = 1000) -> HttpClient:
    return HttpClient(frozenset({f"127.0.0.1:{port}"}), seconds, most_bytes)


async def test_a_request_with_json_and_its_answer() -> None:
    async with serving(said("201 Created", b'{"ok": true}', "X-One: two")) as (port, asked):
        answer = await http(port).post(f"http://127.0.0.1:{port}/a", json={"b": [1]}, params={"q": "ü"})
    assert (answer.status, answer.json(), answer.headers["x-one"]) == (201, {"ok": True}, "two")
    assert answer.raise_for_status() is answer
    assert asked[0]["line"] == "POST /a?q=%C3%BC HTTP/1.1"
    assert json.loads(asked[0]["body"]) == {"b": [1]}


async def test_error_responses_raise_on_request() -> None:
    async with serving(said("404 Not Found", b"no")) as (port, _):
        answer = await http(port).get(f"http://user:secret@127.0.0.1:{port}/")
    assert (answer.status, answer.text, answer.is_success) == (404, "no", False)
    with pytest.raises(HttpError, match=f"^127.0.0.1:{port} returned 404$") as caught:
        answer.raise_for_status()
    assert caught.value.answer is answer
    with pytest.raises(HttpError, match="did not return JSON"):
        answer.json()


async def test_requests_to_private_addresses_need_a_setting() -> None:
    async with serving(said("200 OK")) as (port, asked):
        with pytest.raises(HttpError, match="must be requested with https"):
            await HttpClient(frozenset(), 20, 1000).get(f"http://127.0.0.1:{port}/")
        with pytest.raises(HttpError, match="is not a public address"):
            await HttpClient(frozenset(), 20, 1000).get(f"https://127.0.0.1:{port}/")
        assert asked == []
    for address in ("no address", "/path", "https://", "http://[::1"):
        with pytest.raises(HttpError, match="a URL must begin with https"):
            await HttpClient(frozenset(), 20, 1000).get(address)


async def test_redirects_are_followed_on_request_and_never_to_private_addresses() -> None:
    async with serving(said("302 Found", b"", "Location: /b"), said("200 OK", b"here")) as (port, asked):
        url = f"http://127.0.0.1:{port}/a"
        assert (await http(port).get(url)).status == 302
        asked.clear()
        assert (await http(port).get(url, follow_redirects=True)).text == "here"
    async with serving(said("302 Found", b"", "Location: http://127.0.0.2/")) as (port, asked):
        with pytest.raises(HttpError, match=r"127.0.0.2 must be requested with https"):
            await http(port).get(f"http://127.0.0.1:{port}/", follow_redirects=True)
    async with serving(said("302 Found", b"", "Location: /again")) as (port, asked):
        with pytest.raises(HttpError, match="cannot be requested"):
            await http(port).get(f"http://127.0.0.1:{port}/", follow_redirects=True)
        assert len(asked) == MOST_REDIRECTS + 1


async def test_answers_are_bounded_in_time_and_bytes() -> None:
    async with serving(said("200 OK", b"x" * 1001)) as (port, _):
        with pytest.raises(HttpError, match="too large"):
            await http(port).get(f"http://127.0.0.1:{port}/")
    async with serving(b"") as (port, _):
        with pytest.raises(HttpError, match=r"127.0.0.1 took longer than 0.05 s"):
            await http(port).get(f"http://127.0.0.1:{port}/?token=secret", seconds=0.05)


def read_mails(folder: Path) -> list[EmailMessage]:
    parser: BytesParser[Any] = BytesParser(policy=email.policy.default)
    return [parser.parsebytes(file.read_bytes()) for file in sorted(folder.glob("*.eml"))]


async def test_mail_of_text_html_and_templates(tmp_path: Path) -> None:
    (tmp_path / "emails").mkdir()
    template = "<title>Hello <%= name %></title><p><%= name %> &amp; you</p>"
    (tmp_path / "emails/welcome.html").write_text(template, encoding="utf-8")
    mail = Mail(FolderMailer(tmp_path / "out"), tmp_path)
    await mail.send("ann@example.org", "One", text="a < b\nc")
    await mail.send(["ann@example.org", "bob@example.org"], "Two", html="<p>two</p>", text="zwei", reply_to="re@x.org")
    await mail.send("ann@example.org", template="welcome", data={"name": "<Ann>"})
    one, two, other, three = await asyncio.to_thread(read_mails, tmp_path / "out")

    def parts(mime: EmailMessage) -> list[str]:
        return [
            str(part.get_content()).strip().replace("\r", "")
            for part in mime.iter_parts()
            if isinstance(part, EmailMessage)
        ]

    assert (one["To"], one["Subject"]) == ("ann@example.org", "One")
    assert parts(one) == ["a < b\nc", "<p>a &lt; b<br>c</p>"]
    assert (two["To"], other["To"], other["Reply-To"]) == ("ann@example.org", "bob@example.org", "re@x.org")
    assert parts(two) == ["zwei", "<p>two</p>"]
    assert three["Subject"] == "Hello <Ann>"
    assert "<p>&lt;Ann&gt; &amp; you</p>" in parts(three)[1]


async def test_files_go_with_a_mail(tmp_path: Path) -> None:
    mail = Mail(FolderMailer(tmp_path / "out"), tmp_path)
    files: list[tuple[str, str | bytes]] = [("prices.csv", "a;ß\n"), ("raw", b"\x00\xff")]
    await mail.send("ann@example.org", "Prices", text="See below", attachments=files)
    (sent,) = await asyncio.to_thread(read_mails, tmp_path / "out")
    assert [(part.get_filename(), part.get_content_type(), part.get_content()) for part in sent.iter_attachments()] == [
        ("prices.csv", "text/csv", "a;ß\n"),
        ("raw", "application/octet-stream", b"\x00\xff"),
    ]
    for name, content in (("../x", "a"), ("", "a"), ("large", b"0" * 20_000_001)):
        with pytest.raises(MailProblem):
            await mail.send("ann@example.org", "Prices", text="x", attachments=[(name, content)])


async def test_invalid_mails(tmp_path: Path) -> None:
    mail = Mail(FolderMailer(tmp_path / "out"), tmp_path)
    with pytest.raises(MailProblem, match="requires a subject"):
        await mail.send("ann@example.org", "One")
    for name in ("nowhere", "../secret"):
        with pytest.raises(MailProblem, match="does not exist or cannot be read"):
            await mail.send("ann@example.org", template=name)
    with pytest.raises(MailProblem, match="header"):
        await mail.send("ann@example.org\r\nBcc: all@example.org", "s", text="t")


def test_cached_values_expire_and_are_copies() -> None:
    now = 100.0
    cache = CodeCache(CacheBudget(1024**2).cache("code"), Clock(steady=lambda: now))
    value = {"a": [1]}
    cache.set("one", value, 5)
    value["a"].append(2)
    cache.get("one")["a"].append(3)
    assert cache.get("one") == {"a": [1]}
    now = 104.9
    assert cache.get("one") is not None
    now = 105.0
    assert cache.get("one", "gone") == "gone"
    cache.set("two", None, 5)
    cache.delete("two")
    cache.delete("two")
    assert cache.get("two", 1) == 1
    with pytest.raises(TypeError, match="only stores JSON values"):
        cache.set("three", object(), 5)
    cache.set("large", "x" * 100_000, 5)
    assert cache.get("large") is None


async def test_the_cache_computes_missing_values() -> None:
    cache = CodeCache(CacheBudget(1024**2).cache("code"))
    made = []

    async def make() -> list[int]:
        made.append(1)
        return made

    assert [await cache.get_or_set("one", 60, make), await cache.get_or_set("one", 60, make)] == [[1], [1]]


async def test_the_store_is_that_of_v4(app: App, code_site: Site) -> None:
    store = app.store("plugin", "my-plugin")
    for value, kind in (({"a": 1}, "object"), ("text", "string"), (3, "number"), (True, "boolean"), ([1], "object")):
        await store.set("settings", value)
        assert await store.get("settings") == value
        find = "SELECT value, type FROM strapi_core_store_settings WHERE key = 'plugin_my-plugin_settings'"
        rows = await code_site.database.fetch_all(find)
        assert [(json.loads(text), stored) for text, stored in rows] == [(value, kind)]
    assert await app.store("plugin", "i18n").get("default_locale") == "en"
    assert await app.store().get("settings", "none") == "none"
    await store.delete("settings")
    await store.delete("settings")
    assert await store.get("settings") is None
    with pytest.raises(TypeError, match="only accepts JSON values"):
        await store.set("settings", object())


async def test_the_store_takes_part_in_transactions(app: App) -> None:
    with raising(ZeroDivisionError):
        async with app.transaction():
            await app.store().set("undone", 1)
            assert await app.store().get("undone") == 1
            raise ZeroDivisionError
    assert await app.store().get("undone") is None


def test_custom_settings(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config/server.toml").write_text(
        '[custom]\ncurrency = "EUR"\n[custom.prices]\nfrom = 3\n', encoding="utf-8"
    )
    variables = {"OCTAVO_SERVER__CUSTOM__PRICES__UP_TO": "9", "OCTAVO_SERVER__CUSTOM__API_KEY": "secret"}
    settings = load_settings(tmp_path, variables, mode="development")
    custom = Custom(settings.server.custom)
    assert (custom["currency"], custom["prices.from"], custom["prices"]["upTo"]) == ("EUR", 3, 9)
    assert (custom.get("nothing", 1), custom["apiKey"], "secret" in repr(custom)) == (1, "secret", False)
    with pytest.raises(MissingSetting, match=r"config/server.toml has no setting custom.currencies; did you"):
        custom["currencies"]
    with pytest.raises(MissingSetting, match=r"custom.prices.form.*did you mean from"):
        custom["prices.form"]
    with pytest.raises(MissingSetting, match=r"custom.currency is not a table"):
        custom["currency.code"]
    (tmp_path / "config/server.toml").write_text("custom = 3\n", encoding="utf-8")
    with pytest.raises(SettingsError, match="custom"):
        load_settings(tmp_path, {}, mode="development")


def test_the_log_has_the_projects_name(app: App, code_site: Site) -> None:
    assert app.log.name == f"project.{code_site.octavo.settings.project.name}"
    assert app.mail is app.facilities.mail
    assert (app.http, app.cache, app.custom) == (app.facilities.http, app.facilities.cache, app.facilities.custom)
