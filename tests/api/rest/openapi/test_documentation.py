"""The served documentation: access, URLs, and the page in a browser."""

import base64
import json
import re
from dataclasses import replace
from typing import Any

import pytest
import requests

from octavo.operations.runtime.process import build
from octavo.settings.model import Mode
from tests.api.http.asgi import Answer
from tests.browser import Browser
from tests.cli.processes import PATIENCE, Server
from tests.models.bookshop import FULL_TOKEN, SOME_TOKEN
from tests.models.site import Site

PATHS = ("/documentation/openapi.json", "/documentation/v1.0.0/openapi.json")


async def asked(site: Site, mode: Mode, target: str, token: str | None = None, **config: Any) -> Answer:
    """Return the response from the same content, served in another mode or with other settings."""
    settings = site.octavo.settings
    plugin = settings.plugins.documentation
    plugin = replace(plugin, config=replace(plugin.config, **config))
    octavo = build(replace(settings, mode=mode, plugins=replace(settings.plugins, documentation=plugin)))
    await octavo.database.connect()
    try:
        return await Site(octavo).get(target, token)
    finally:
        await octavo.database.close()


@pytest.mark.anyio
@pytest.mark.parametrize(
    "mode, always, shown",
    [("development", False, True), ("production", False, False), ("production", True, True)],
)
async def test_it_is_for_development(bookshop: Site, mode: Mode, always: bool, shown: bool) -> None:
    for path in ("/documentation", *PATHS):
        answer = await asked(bookshop, mode, path, always=always)
        assert answer.status == (200 if shown else 404), path


@pytest.mark.anyio
@pytest.mark.parametrize("token, status", [(None, 403), ("nonsense", 401), (SOME_TOKEN, 403), (FULL_TOKEN, 200)])
async def test_access_can_require_a_token(bookshop: Site, token: str | None, status: int) -> None:
    assert (await asked(bookshop, "development", PATHS[0], token, access="tokens")).status == status


@pytest.mark.anyio
async def test_page_and_document_can_be_elsewhere(bookshop: Site) -> None:
    page = await asked(bookshop, "development", "/docs/v2", path="/docs", version="2", title="Books")
    assert b'data-document="/docs/openapi.json"' in page.body
    document = (
        await asked(bookshop, "development", "/docs/v2/openapi.json", path="/docs", version="2", title="B")
    ).json
    assert document["info"] == {"title": "B", "version": "2"}


@pytest.mark.anyio
async def test_the_document_marks_public_operations(bookshop: Site) -> None:
    paths = (await asked(bookshop, "development", PATHS[0])).json["paths"]
    assert paths["/api/books"]["get"]["security"] == [{}, {"bearerAuth": []}]
    assert paths["/api/books"]["post"]["security"] == [{"bearerAuth": []}]


def test_an_unchanged_document_is_not_sent_again(shop: Server) -> None:
    address = f"http://127.0.0.1:{shop.port}{PATHS[1]}"
    first = requests.get(address, timeout=PATIENCE)
    again = requests.get(address, headers={"If-None-Match": first.headers["etag"]}, timeout=PATIENCE)
    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")


def test_the_page_works_in_a_browser(shop: Server, browser: Browser) -> None:
    base = f"http://127.0.0.1:{shop.port}"
    with browser.open_page() as page:
        page.send("Page.navigate", url=f"{base}/documentation/v1.0.0#bookFind")
        assert "List entries of Book" in page.wait_for("document.querySelector('main h2')?.innerText")
        page.do("[...document.querySelectorAll('summary')].find((one) => one.innerText === 'BookListResponse').click()")
        page.wait_for("document.querySelector('main .schema .schema') !== null")
        page.do("document.querySelector('.try input').value = 'filters[title][$contains]=1&fields=title'")
        page.do("document.querySelector('.try').requestSubmit()")
        shown = json.loads(page.wait_for("document.querySelector('.result pre')?.innerText"))
        assert {*shown["data"][0]["attributes"]} == {"title"}
        page.do("const find = document.querySelector('input[type=search]'); find.value = 'localiz'")
        page.do("document.querySelector('input[type=search]').dispatchEvent(new Event('input'))")
        listed = page.wait_for(
            "document.querySelectorAll('nav a').length < 5 && document.querySelector('nav').innerText"
        )
        assert "/api/books/{id}/localizations" in listed
        picture = base64.b64decode(page.send("Page.captureScreenshot")["data"])
        assert len(picture) > 10_000
        assert {address for address in page.asked if not address.startswith((base, "data:"))} == set()
        assert page.wrong == []


@pytest.mark.anyio
async def test_only_scripts_with_the_nonce_run(bookshop: Site) -> None:
    page = await asked(bookshop, "development", "/documentation")
    policy = page.headers["content-security-policy"]
    [nonce] = set(re.findall(r'nonce="([^"]+)"', page.body.decode()))
    assert f"script-src 'nonce-{nonce}'" in policy
    assert "unsafe" not in policy
    assert re.search(r"<script[^>]*>[^<]|<style|\son\w+=|style=", page.body.decode()) is None, "nothing is inline"
