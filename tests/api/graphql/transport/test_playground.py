"""The playground: its URL, its content security policy, and that it works in a real browser."""

import base64
import re
from pathlib import Path

import pytest

from octavo.settings.model import Mode
from tests.api.graphql.asking import served
from tests.api.http.asgi import Answer, call
from tests.browser import Browser
from tests.cli.processes import serving
from tests.cli.projects import make_project
from tests.models.site import Site

HTML = "text/html,application/xhtml+xml,*/*;q=0.8"


async def get(site: Site, target: str = "/graphql", accept: str = HTML) -> Answer:
    return await call(site.octavo.asgi, "GET", target, [("Accept", accept)])


def addresses(page: Answer) -> list[str]:
    return re.findall(r'(?:src|href)="([^"]+)"', page.body.decode())


@pytest.mark.anyio
@pytest.mark.parametrize(
    "mode, always, shown",
    [
        ("development", False, True),
        ("staging", False, True),
        ("production", False, False),
        ("production", True, True),
    ],
)
async def test_the_playground_is_for_development(bookshop: Site, mode: Mode, always: bool, shown: bool) -> None:
    async with served(bookshop, mode, playground_always=always) as site:
        answer = await get(site)
        if shown:
            assert (answer.status, answer.headers["content-type"]) == (200, "text/html")
        else:
            assert (answer.status, answer.body) == (400, b"GET query missing.")
        for name in ("graphiql.js", "graphiql.css"):
            assert (await get(site, f"/graphql/{name}")).status == (200 if shown else 404)
        assert (await get(site, accept="*/*")).status == 400, "HTML is returned only if requested"


@pytest.mark.anyio
async def test_only_scripts_with_the_nonce_run(bookshop: Site) -> None:
    async with served(bookshop, "development") as site:
        first, second = await get(site), await get(site)
    policies = []
    for page in (first, second):
        text = page.headers["content-security-policy"]
        policy = dict(part.strip().split(" ", 1) for part in text.split(";"))
        policies.append(policy)
        nonces = set(re.findall(r'nonce="([^"]+)"', page.body.decode()))
        assert len(nonces) == 1
        assert policy["script-src"] == policy["style-src"] == f"'nonce-{nonces.pop()}'"
        assert policy["default-src"] == policy["base-uri"] == policy["frame-ancestors"] == "'none'"
        assert policy["connect-src"] == "'self'"
        assert "unsafe" not in text
        assert re.search(r"<script[^>]*>[^<]|<style|\son\w+=", page.body.decode()) is None, "nothing is inline"
    assert policies[0]["script-src"] != policies[1]["script-src"], "a nonce is used once"
    assert first.headers["cache-control"] == "no-store"


@pytest.mark.anyio
@pytest.mark.parametrize("endpoint", ["/graphql", "/deep/gq"])
async def test_all_assets_come_from_the_endpoint(bookshop: Site, endpoint: str) -> None:
    async with served(bookshop, "development", endpoint=endpoint) as site:
        found = addresses(await get(site, endpoint))
        assert [re.sub(r"\?.*", "", one) for one in found] == [f"{endpoint}/graphiql.css", f"{endpoint}/graphiql.js"]
        kinds = []
        for one in found:
            answer = await get(site, one)
            kinds.append(answer.headers["content-type"])
            assert (answer.status, "immutable" in answer.headers["cache-control"]) == (200, True)
            assert len(answer.body) > 10_000
        assert kinds == ["text/css; charset=utf-8", "text/javascript; charset=utf-8"]


QUERY = "{ stories { data { id attributes { title } } } }"
EDITOR = "document.querySelector('.graphiql-query-editor .CodeMirror')"
RESULT = "document.querySelector('.result-window .CodeMirror')"
DOCS = "document.querySelector('.graphiql-doc-explorer')"


def test_a_query_is_typed_and_run_and_the_docs_are_read(tmp_path: Path, browser: Browser) -> None:
    project = make_project(tmp_path / "site")
    with serving("develop", project) as server, browser.open_page() as page:
        base = f"http://127.0.0.1:{server.port}"
        page.send("Page.navigate", url=f"{base}/graphql")
        page.wait_for(f"Boolean({EDITOR} && {EDITOR}.CodeMirror)")
        page.do(f"(() => {{ const editor = {EDITOR}.CodeMirror; editor.setValue(''); editor.focus(); }})()")
        page.send("Input.insertText", text=QUERY)
        assert page.wait_for(f"{EDITOR}.CodeMirror.getValue()") == QUERY
        page.do("document.querySelector('.graphiql-execute-button').click()")
        answer = page.wait_for(f"{RESULT} && {RESULT}.CodeMirror && {RESULT}.CodeMirror.getValue()")
        assert "Forbidden access" in answer, "a new project has no permissions"
        page.do("document.querySelector('[aria-label=\"Show Documentation Explorer\"]').click()")
        page.wait_for(f"Boolean({DOCS} && {DOCS}.innerText.includes('Root Types'))")
        page.do(f"[...{DOCS}.querySelectorAll('a')].find((one) => one.innerText === 'Query').click()")
        assert "stories" in page.wait_for(f"{DOCS}.innerText.includes('I18NLocaleEntity') && {DOCS}.innerText")
        shown = page.send("Page.captureScreenshot")["data"]
        assert len(base64.b64decode(shown)) > 10_000
        page.do("document.querySelector('[aria-label=\"Open settings dialog\"]').click()")
        page.wait_for("document.querySelector('.graphiql-dialog').innerText.includes('Theme')")
        assert {address for address in page.asked if not address.startswith((base, "data:"))} == set()
        assert page.wrong == []
