"""Forms with files: parsed parts, errors, and no temporary files left over."""

import asyncio
import base64
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.api.http.form_data import IN_MEMORY, FormData, read_form_data
from octavo.api.http.options import BodyLimits, HttpOptions
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.core.errors import BadRequestError, OctavoError, PayloadTooLargeError, UnsupportedMediaTypeError
from tests.api.http.asgi import app_with, ask, request_of

TYPE = ("Content-Type", "multipart/form-data; boundary=B")
LIMITS = HttpOptions(body=BodyLimits(file=3000, upload=8000, fields=100, parts=5))


def part(name: str, content: bytes = b"", filename: str | None = None, kind: str = "") -> bytes:
    named = "" if filename is None else f'; filename="{filename}"'
    typed = f"Content-Type: {kind}\r\n" if kind else ""
    head = f'--B\r\nContent-Disposition: form-data; name="{name}"{named}\r\n{typed}\r\n'
    return head.encode() + content + b"\r\n"


def form(*parts: bytes) -> bytes:
    return b"".join(parts) + b"--B--\r\n"


def pieces(body: bytes, size: int) -> list[bytes | None]:
    return [body[start : start + size] for start in range(0, len(body), size)]


def request_with(body: bytes, options: HttpOptions = LIMITS, size: int = 1000) -> Request:
    return request_of("POST", "/", [TYPE], pieces(body, size), options)


def read(body: bytes, options: HttpOptions = LIMITS, size: int = 1000) -> tuple[FormData, list[bytes]]:
    """Return the form, and the contents of its files."""
    request = request_with(body, options, size)
    try:
        gathered = asyncio.run(read_form_data(request))
        return gathered, [uploaded.file.read() for uploaded in gathered.files]
    finally:
        request.close()


MIXED = form(
    part("data", b'{"title": "x"}'),
    part("files.cover", b"\x89PNG", "c.png", "image/png"),
    part("tag", "é".encode()),
    part("tag", b"b"),
    part("files.more", b"", "leer é.txt"),
    part("files.none", b"", "", "application/octet-stream"),
)


@pytest.mark.parametrize("size", [1, 7, 100, 10_000])
def test_fields_and_files_are_gathered_in_their_order(size: int) -> None:
    options = HttpOptions(body=BodyLimits(parts=6))
    gathered, contents = read(MIXED, options, size)
    assert gathered.fields == (("data", '{"title": "x"}'), ("tag", "é"), ("tag", "b"))
    assert gathered.values() == {"data": '{"title": "x"}', "tag": ["é", "b"]}
    assert contents == [b"\x89PNG", b""]
    assert [(file.field, file.filename, file.content_type, file.size) for file in gathered.files] == [
        ("files.cover", "c.png", "image/png", 4),
        ("files.more", "leer é.txt", "application/octet-stream", 0),
    ]


def test_large_files_are_stored_on_disk_and_removed_after_the_request() -> None:
    content = bytes(range(256)) * 8 * 1024
    seen: list[FormData] = []

    async def handler(request: Request) -> Response:
        seen.append(await read_form_data(request))
        file = seen[0].files[0].file
        assert (file.read(), file.fileno() > 0) == (content, True)
        return Response(200)

    body = form(part("files", content, "big.bin"))
    assert len(content) > IN_MEMORY
    assert ask(app_with(handler), "POST", "/here", [TYPE], pieces(body, 64 * 1024)).status == 200
    assert seen[0].files[0].file.closed


def test_temporary_files_are_removed_when_a_form_is_refused() -> None:
    request = request_with(form(part("files", b"x", "a"), part("files", b"x" * 4000, "b")))
    with pytest.raises(PayloadTooLargeError):
        asyncio.run(read_form_data(request))
    assert request._closers is not None
    (close,) = request._closers
    request.close()
    assert all(file.closed for file in close.args[0]._opened)  # type: ignore[attr-defined]


REFUSED: dict[str, tuple[bytes, type[OctavoError]]] = {
    "a file too large": (form(part("f", b"x" * 3001, "a")), PayloadTooLargeError),
    "fields too large": (form(part("a", b"x" * 60), part("b", b"x" * 60)), PayloadTooLargeError),
    "too many parts": (form(*[part("a")] * 6), PayloadTooLargeError),
    "a body too large": (form(*[part("f", b"x" * 2900, "a")] * 3), PayloadTooLargeError),
    "an endless part header": (b"--B\r\nX-A: " + b"x" * 7000, PayloadTooLargeError),
    "cut in a header": (b"--B\r\nContent-Dis", BadRequestError),
    "cut in a part": (part("a", b"x"), BadRequestError),
    "nothing": (b"", BadRequestError),
    "no boundary in the body": (b"x" * 100, BadRequestError),
    "another boundary": (form(part("a")).replace(b"--B", b"--C"), BadRequestError),
    "a part without a name": (b"--B\r\n\r\nx\r\n--B--\r\n", BadRequestError),
    "a part that is no form data": (b"--B\r\nContent-Disposition: file\r\n\r\nx\r\n--B--\r\n", BadRequestError),
    "a field that is not UTF-8": (form(part("a", b"\xff")), BadRequestError),
}


@pytest.mark.parametrize("body, error", REFUSED.values(), ids=REFUSED)
def test_malformed_and_oversized_forms_are_refused(body: bytes, error: type[OctavoError]) -> None:
    with pytest.raises(error):
        read(body)


@pytest.mark.parametrize("boundary", ["", "; boundary=", "; boundary=" + "b" * 201, '; boundary="é"'])
def test_a_boundary_is_needed(boundary: str) -> None:
    request = request_of("POST", "/", [("Content-Type", f"multipart/form-data{boundary}")], [b"x"])
    with pytest.raises(BadRequestError, match="no boundary"):
        asyncio.run(read_form_data(request))


def test_a_compressed_form_is_refused() -> None:
    request = request_of("POST", "/", [TYPE, ("Content-Encoding", "gzip")], [b"x"])
    with pytest.raises(UnsupportedMediaTypeError):
        asyncio.run(read_form_data(request))


def headed(head: str, content: bytes, encoding: str = "utf-8") -> bytes:
    return f"--B\r\n{head}\r\n\r\n".encode(encoding) + content + b"\r\n"


@pytest.mark.parametrize(
    "head, encoding, expected",
    [
        ('filename="Größe 1.txt"', "utf-8", "Größe 1.txt"),
        ('filename="Größe 1.txt"', "latin-1", "Größe 1.txt"),
        ('filename="“Größe”.txt"', "cp1252", "“Größe”.txt"),
        ('filename="文档.txt"', "utf-8", "文档.txt"),
    ],
)
def test_file_names_are_read_in_the_encoding_that_they_have(head: str, encoding: str, expected: str) -> None:
    gathered, _ = read(form(headed(f'Content-Disposition: form-data; name="a"; {head}', b"x", encoding)))
    assert gathered.files[0].filename == expected


@pytest.mark.parametrize("size", [1, 3, 7, 100])
def test_a_part_in_base64_is_decoded(size: int) -> None:
    content = bytes(range(256))
    sent = base64.encodebytes(content)  # lines of 76 characters
    transfer = "Content-Transfer-Encoding: Base64"
    gathered, contents = read(
        form(
            headed(f'Content-Disposition: form-data; name="f"; filename="a.bin"\r\n{transfer}', sent),
            headed(f'Content-Disposition: form-data; name="t"\r\n{transfer}', base64.b64encode("é".encode())),
            headed('Content-Disposition: form-data; name="b"\r\nContent-Transfer-Encoding: 8bit', b"YQ=="),
        ),
        size=size,
    )
    assert contents == [content]
    assert gathered.files[0].size == len(content)
    assert gathered.fields == (("t", "é"), ("b", "YQ=="))


@pytest.mark.parametrize(
    "encoding, content, message",
    [
        ("base64", b"YQ=", "not valid base64"),
        ("base64", b"Y!==", "not valid base64"),
        ("base64", b"YQ==YQ==", "not valid base64"),
        ("quoted-printable", b"=C3=A9", "Content-Transfer-Encoding 'quoted-printable' is not supported"),
    ],
)
def test_a_part_that_cannot_be_decoded_is_refused(encoding: str, content: bytes, message: str) -> None:
    head = f'Content-Disposition: form-data; name="f"; filename="a"\r\nContent-Transfer-Encoding: {encoding}'
    with pytest.raises(BadRequestError, match=message):
        read(form(headed(head, content)))


NOISE = [
    b"--B",
    b"--B--",
    b"\r\n",
    b"\n",
    b"--",
    b"B",
    b'Content-Disposition: form-data; name="a"',
    b"; filename=x",
    b"\xff",
]


@given(st.lists(st.sampled_from(NOISE), max_size=20).map(b"".join), st.integers(1, 30))
def test_noise_is_read_or_refused(body: bytes, size: int) -> None:
    with suppress(BadRequestError, PayloadTooLargeError):
        read(body, size=size)
