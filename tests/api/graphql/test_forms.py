"""Operations with files: the GraphQL multipart request specification."""

import json
from dataclasses import replace
from typing import Any

import pytest

from octavo.operations.runtime import process as app
from tests.api.graphql.asking import messages, send
from tests.api.http.asgi import Answer, call
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site, under_safe

pytestmark = pytest.mark.anyio

BOOK = '{ book(id: "1") { data { id } } }'
ANSWERED = {"data": {"book": {"data": {"id": "1"}}}}


PNG = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"
    b"\x00\x00\x00\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\x00\x05\x00\x01\xff\x89\x99=\x1d\x00\x00\x00\x00IEND\xaeB`\x82"
)
ONE = "mutation ($f: Upload!) { upload(file: $f) { data { attributes { name mime size width } } } }"
MANY = "mutation ($f: [Upload]!) { multipleUpload(files: $f) { data { attributes { name } } } }"
Part = tuple[str, str | bytes]


async def post_form(site: Site, parts: list[Part], token: str | None = FULL_TOKEN, header: str = "x") -> Answer:
    """Send a form: texts are fields, bytes are files named after their field."""
    lines = []
    for name, value in parts:
        file = f'; filename="{name}.png"\r\nContent-Type: image/png' if isinstance(value, bytes) else ""
        content = value if isinstance(value, bytes) else value.encode()
        head = f'--cut\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'
        lines.append(head.encode() + content + b"\r\n")
    headers = [("Content-Type", "multipart/form-data; boundary=cut"), ("X-Apollo-Operation-Name", header)]
    if token is not None:
        headers.append(("Authorization", f"Bearer {token}"))
    return await call(site.octavo.asgi, "POST", "/graphql", headers, [b"".join(lines) + b"--cut--\r\n"])


def operation(text: str, **variables: Any) -> str:
    return json.dumps({"query": text, "variables": variables})


async def test_one_file(scratch: Site) -> None:
    form: list[Part] = [("operations", operation(ONE, f=None)), ("map", '{"0": ["variables.f"]}'), ("0", PNG)]
    answer = await post_form(scratch, form)
    found = {"name": "0.png", "mime": "image/png", "size": 0.07, "width": 1}
    assert answer.json == {"data": {"upload": {"data": {"attributes": found}}}}


@pytest.mark.parametrize("operations", [{"variables": {"f": {}}}, {"variables": {}}, {"variables": None}, {}], ids=str)
async def test_files_that_clients_write_as_json(scratch: Site, operations: dict[str, Any]) -> None:
    """Clients send an empty object, no such variable, or no variables."""
    text = json.dumps({"query": ONE, **operations})
    answer = await post_form(scratch, [("operations", text), ("map", '{"0": ["variables.f"]}'), ("0", PNG)])
    assert answer.json["data"]["upload"]["data"]["attributes"]["name"] == "0.png"


async def test_lists_of_files_that_clients_write_as_json(scratch: Site) -> None:
    form: list[Part] = [("operations", operation(MANY, f=[{}])), ("map", '{"0": ["variables.f.0"]}'), ("0", PNG)]
    answer = await post_form(scratch, form)
    assert answer.json["data"]["multipleUpload"] == [{"data": {"attributes": {"name": "0.png"}}}]


async def test_a_text_that_is_called_an_image_is_refused(scratch: Site) -> None:
    form: list[Part] = [("operations", operation(ONE, f=None)), ("map", '{"0": ["variables.f"]}'), ("0", b"hello")]
    async with under_safe(scratch) as safe:
        answer = (await post_form(safe, form)).json
    assert (answer["data"], messages(answer)) == (None, ["0.png is not a valid image: its content is text/plain"])


async def test_several_files_in_a_list(scratch: Site) -> None:
    places = '{"a": ["variables.f.1"], "b": ["variables.f.0"]}'
    form: list[Part] = [("operations", operation(MANY, f=[None, None])), ("map", places), ("a", PNG), ("b", PNG)]
    answer = await post_form(scratch, form)
    names = [item["data"]["attributes"]["name"] for item in answer.json["data"]["multipleUpload"]]
    assert names == ["b.png", "a.png"]


async def test_files_in_a_batch(scratch: Site) -> None:
    batch = f"[{operation(ONE, f=None)}, {operation(ONE, f=None)}]"
    places = '{"0": ["0.variables.f", "1.variables.f"]}'
    answer = await post_form(scratch, [("operations", batch), ("map", places), ("0", PNG)])
    assert [one["data"]["upload"]["data"]["attributes"]["name"] for one in answer.json] == ["0.png"] * 2


async def test_uploading_requires_permission(scratch: Site) -> None:
    form: list[Part] = [("operations", operation(ONE, f=None)), ("map", '{"0": ["variables.f"]}'), ("0", PNG)]
    answer = await post_form(scratch, form, token=None)
    assert (answer.json["data"], messages(answer.json)) == (None, ["Forbidden access"])


FORMS: dict[str, tuple[list[Part], str]] = {
    "no operations": ([("map", "{}")], "operations must be given once, as JSON"),
    "operations twice": (
        [("operations", "{}"), ("operations", "{}"), ("map", "{}")],
        "operations must be given once, as JSON",
    ),
    "operations as a file": ([("operations", b"{}"), ("map", "{}")], "operations must be given once, as JSON"),
    "no map": ([("operations", operation(ONE, f=None))], "map must be given once, as JSON"),
    "a map that is a list": (
        [("operations", operation(ONE, f=None)), ("map", "[]")],
        "map must be an object of lists of places",
    ),
    "a file that is not there": (
        [("operations", operation(ONE, f=None)), ("map", '{"0": ["variables.f"]}')],
        "map refers to the file '0', which is missing",
    ),
    "places that are no list": (
        [("operations", operation(ONE, f=None)), ("map", '{"0": "variables.f"}'), ("0", PNG)],
        "map.0 must be a list of places",
    ),
    "a place that is not there": (
        [("operations", operation(ONE, f=None)), ("map", '{"0": ["variables.g.h"]}'), ("0", PNG)],
        "map refers to 'variables.g.h', which is not in operations",
    ),
    "a place outside of the variables": (
        [("operations", operation(ONE, f=None)), ("map", '{"0": ["extensions"]}'), ("0", PNG)],
        "map refers to 'extensions', which is not in operations",
    ),
    "all variables": (
        [("operations", operation(ONE)), ("map", '{"0": ["variables"]}'), ("0", PNG)],
        "variables already has a value; send null instead of the file",
    ),
    "a place for two files": (
        [("operations", operation(ONE, f={})), ("map", '{"0": ["variables.f", "variables.f"]}'), ("0", PNG)],
        "variables.f already has a value; send null instead of the file",
    ),
    "a place beyond a list": (
        [("operations", operation(MANY, f=[None])), ("map", '{"0": ["variables.f.1"]}'), ("0", PNG)],
        "map refers to 'variables.f.1', which is not in operations",
    ),
    "a place counted from the end": (
        [("operations", operation(MANY, f=[None])), ("map", '{"0": ["variables.f.-1"]}'), ("0", PNG)],
        "map refers to 'variables.f.-1', which is not in operations",
    ),
    "a place within a text": (
        [("operations", operation(ONE, f="text")), ("map", '{"0": ["variables.f.0"]}'), ("0", PNG)],
        "map refers to 'variables.f.0', which is not in operations",
    ),
    "a place that is taken": (
        [("operations", operation(ONE, f=1)), ("map", '{"0": ["variables.f"]}'), ("0", PNG)],
        "variables.f already has a value; send null instead of the file",
    ),
}


@pytest.mark.parametrize("parts, message", FORMS.values(), ids=FORMS)
async def test_forms_that_do_not_fit_are_refused(bookshop: Site, parts: list[Part], message: str) -> None:
    answer = await post_form(bookshop, parts)
    assert (answer.status, answer.json["error"]["message"]) == (400, message)


@pytest.mark.parametrize("value", ["text", 5, {}, None])
async def test_a_file_must_be_uploaded(bookshop: Site, value: Any) -> None:
    answer = await send(bookshop, {"query": ONE, "variables": {"f": value}}, FULL_TOKEN)
    assert (answer.status, answer.json["errors"][0]["extensions"]["code"]) == (400, "BAD_USER_INPUT")


async def served_safely(bookshop: Site, **headers: str) -> Answer:
    """Return the response to a form with these headers, from a site that requires a preflight for forms."""
    settings = bookshop.octavo.settings
    compat = replace(settings.api.compat, graphql_forms="preflight")
    octavo = app.build(replace(settings, api=replace(settings.api, compat=compat)))
    await octavo.database.connect()
    try:
        body = b"".join(
            b'--cut\r\nContent-Disposition: form-data; name="%b"\r\n\r\n%b\r\n' % part
            for part in ((b"operations", json.dumps({"query": BOOK}).encode()), (b"map", b"{}"))
        )
        given = [("Content-Type", "multipart/form-data; boundary=cut"), *headers.items()]
        return await call(octavo.asgi, "POST", "/graphql", given, [body + b"--cut--\r\n"])
    finally:
        await octavo.database.close()


@pytest.mark.parametrize("headers", [{}, {"X-Apollo-Operation-Name": ""}, {"Accept": "application/json"}])
async def test_forms_that_any_page_could_send_can_be_refused(bookshop: Site, headers: dict[str, str]) -> None:
    answer = await served_safely(bookshop, **headers)
    assert (answer.status, answer.headers["content-type"]) == (400, "text/plain; charset=utf-8")
    assert answer.body.startswith(b"A form needs one of the headers")


@pytest.mark.parametrize("name", ["Apollo-Require-Preflight", "X-Apollo-Operation-Name", "GraphQL-Require-Preflight"])
async def test_a_custom_header_allows_forms(bookshop: Site, name: str) -> None:
    answer = await served_safely(bookshop, **{name: "x"})
    assert (answer.status, answer.json) == (200, ANSWERED)


async def test_a_token_allows_forms(bookshop: Site) -> None:
    answer = await served_safely(bookshop, Authorization=f"Bearer {FULL_TOKEN}")
    assert (answer.status, answer.json) == (200, ANSWERED)
