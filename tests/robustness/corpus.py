"""The worst known request bodies in any size, shared by the benchmark and the tests.

For a new finding, add a row: a text in `TEXTS`, a shape of JSON in `SHAPES`, a document in `DOCUMENTS`, or a parameter
in `PARAMETERS`. All requests are anonymous.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote

import orjson

from octavo.accounts.administrators.provisioning import NewAdministrator, create_administrator
from tests.models.people import write
from tests.models.site import Site, open_bookshop

JSON: Final = "application/json"
FORM: Final = "application/x-www-form-urlencoded"
MULTIPART: Final = "multipart/form-data; boundary=B"
LONGEST_URL: Final = 16_000
LARGEST_BODY: Final = 1_000_000
LONGEST_NAME_OF_FILE: Final = 1500
"""Characters that fit into a part's header, whose size is limited to a few kilobytes."""

_MARKS: Final = "\u0316\u0301"
"""Combining marks of two classes. Alternating ones take the longest to sort."""


def _filled(piece: str, size: int, end: str = "") -> str:
    """Return a text of about `size` bytes in UTF-8."""
    return piece * max(1, size // len(piece.encode())) + end


TEXTS: Final[Mapping[str, Callable[[int], str]]] = {
    "long": lambda size: _filled("a", size),
    "combining marks": lambda size: "a" + _filled(_MARKS, size),
    "expanding": lambda size: _filled("\ufdfa", size),
    "growing in lower case": lambda size: _filled("\u0130", size),
    "letters to transliterate": lambda size: _filled("\u8b93", size),
    "an address of dots": lambda size: "a@" + _filled("-.", size) + "!",
    "an address of quotes": lambda size: '"' + _filled("a.", size) + '"@a.b',
    "digits": lambda size: _filled("1", size),
    "digits in hexadecimal": lambda size: "0x" + _filled("f", size),
    "digits and a letter": lambda size: _filled("1", size, "x"),
    "spaces": lambda size: _filled(" ", size),
    "a token": lambda size: "a." + _filled("b", size) + ".c",
}
"""Texts for any field that accepts text."""

SHAPES: Final[Mapping[str, Callable[[int], str]]] = {
    "digits": lambda size: _filled("1", size),
    "5,000 digits": lambda size: "1" * min(size, 5000),
    "negative digits": lambda size: "-" + _filled("9", size),
    "digits behind the point": lambda size: "0." + _filled("1", size),
    "digits of an exponent": lambda size: "1e" + _filled("9", size),
    "digits of a negative exponent": lambda size: "1e-" + _filled("9", size),
    "deep": lambda size: _filled("[", size // 2) + _filled("]", size // 2),
    "deep objects": lambda size: _filled('{"a":', size // 2) + "1" + _filled("}", size // 10),
    "90 levels of a wide list": lambda size: "[" * 90 + _filled("1,", size) + "1" + "]" * 90,
    "90 levels, often": lambda size: "[" + _filled("[" * 85 + "]" * 85 + ",", size) + "1]",
    "wide": lambda size: "[" + _filled("1,", size) + "1]",
    "wide texts": lambda size: "[" + _filled('"a",', size) + "1]",
    "many keys": lambda size: "{" + ",".join(f'"{number:x}":1' for number in range(size // 10)) + "}",
    "duplicate keys": lambda size: "{" + _filled('"a":1,', size) + '"a":1}',
    "escapes": lambda size: '"' + _filled("\\u0041", size) + '"',
    "not ended": lambda size: "[" + _filled("[1],", size),
    "a text that is not ended": lambda size: '"' + _filled('\\"', size),
}
"""JSON for any field that accepts a value."""


def _document(argument: str) -> str:
    return f"{{ books(filters: {{ title: {{ eq: {argument} }} }}) {{ data {{ id }} }} }}"


DOCUMENTS: Final[Mapping[str, Callable[[int], str]]] = {
    "a long name": lambda size: "{ " + _filled("a", size) + " }",
    "long names": lambda size: "{ " + _filled("a" * 900 + " ", size) + " }",
    "names nearly right": lambda size: "{ " + " ".join(f"bookz{number}" for number in range(size // 10)) + " }",
    "a long argument name": lambda size: "{ books(" + _filled("a", size) + ": 1) { data { id } } }",
    "a long type name": lambda size: "query ($a: " + _filled("B", size) + ") { __typename }",
    "digits": lambda size: "{ books(pagination: { limit: " + _filled("1", size) + " }) { data { id } } }",
    "an id of digits": lambda size: '{ book(id: "' + _filled("1", size) + '") { data { id } } }',
    "a number with an exponent": lambda size: _document("1e" + _filled("9", size)),
    "a string": lambda size: _document('"' + _filled("a", size) + '"'),
    "a string of marks": lambda size: _document('"' + _filled(_MARKS, size) + '"'),
    "a string of escapes": lambda size: _document('"' + _filled("\\u0041", size) + '"'),
    "a block of lines": lambda size: _document('"""' + _filled("\n", size) + '"""'),
    "a block of quotes": lambda size: _document('"""' + _filled('\\"""', size) + '"""'),
    "a string of quotes in the wrong place": lambda size: 'query "' + _filled('\\\\\\"', size) + '\\\\"',
    "a string of words in the wrong place": lambda size: 'query "' + _filled("may not be used on ", size) + '"',
    "a string that is not ended": lambda size: '{ a(b: "' + _filled("\\\\", size),
    "comments": lambda size: "{ __typename " + _filled("#\n", size) + "}",
    "a comment": lambda size: "{ __typename #" + _filled("a", size) + "\n}",
    "commas": lambda size: "{ __typename" + _filled(",", size) + " }",
    "braces": lambda size: _filled("{", size),
    "brackets": lambda size: _document(_filled("[", size // 2) + _filled("]", size // 2)),
    "aliases": lambda size: "{ " + " ".join(f"a{number}: __typename" for number in range(size // 20)) + " }",
    "fragments": lambda size: (
        "{ ...f0 } " + " ".join(f"fragment f{n} on Query {{ ...f{n + 1} }}" for n in range(size // 40))
    ),
    "variables": lambda size: (
        "query (" + " ".join(f"$a{number}: Int" for number in range(size // 12)) + ") { __typename }"
    ),
    "directives": lambda size: "{ __typename " + _filled("@a ", size) + "}",
    "a string of wildcards": lambda size: _document('"' + _filled("a%", size) + '"'),
}
"""GraphQL documents."""

PARAMETERS: Final[Mapping[str, Callable[[str], str]]] = {
    "_q": lambda text: f"_q={text}",
    "sort": lambda text: f"sort={text}",
    "sort[0]": lambda text: f"sort[0]={text}:desc",
    "fields": lambda text: f"fields[0]={text}",
    "populate": lambda text: f"populate={text}",
    "populate, a name": lambda text: f"populate[{text}]=*",
    "a filter's name": lambda text: f"filters[{text}]=1",
    "a filter's operator": lambda text: f"filters[title][${text}]=1",
    "$eqi": lambda text: f"filters[title][$eqi]={text}",
    "$containsi": lambda text: f"filters[title][$containsi]={text}",
    "a filter of numbers": lambda text: f"filters[pages][$eq]={text}",
    "a filter of instants": lambda text: f"filters[createdAt][$gt]={text}",
    "a filter of ids": lambda text: f"filters[id][$in][0]={text}",
    "a page": lambda text: f"pagination[page]={text}",
    "a limit": lambda text: f"pagination[limit]={text}",
    "a cursor": lambda text: f"pagination[after]={text}",
    "locale": lambda text: f"locale={text}",
    "publicationState": lambda text: f"publicationState={text}",
    "an unknown parameter": lambda text: f"{text}=1",
}
"""Parameters of a query string that accept text."""

ACCOUNTS: Final = {
    "/api/auth/local": ("identifier", "password"),
    "/api/auth/local/register": ("email", "username", "password"),
    "/api/auth/forgot-password": ("email",),
    "/api/auth/reset-password": ("code", "password", "passwordConfirmation"),
    "/api/auth/send-email-confirmation": ("email",),
    "/api/auth/change-password": ("currentPassword", "password", "passwordConfirmation"),
    "/admin/login": ("email", "password"),
    "/admin/register-admin": ("email", "firstname", "lastname", "password"),
    "/admin/register": ("registrationToken", "userInfo"),
    "/admin/forgot-password": ("email",),
    "/admin/reset-password": ("resetPasswordToken", "password"),
    "/admin/renew-token": ("token",),
}
"""Operations for anonymous clients, and the fields that they read."""

HEADERS: Final = (
    *("Authorization", "Cookie", "Accept", "Content-Type", "If-Modified-Since", "If-None-Match", "Range", "Origin"),
    *("X-Forwarded-For", "Accept-Language", "traceparent", "X-Request-Id", "Content-Encoding"),
)
ACTIONS: Final = (
    "plugin::upload.content-api.upload",
    *(
        f"plugin::users-permissions.auth.{action}"
        for action in (
            *("callback", "register", "forgotPassword", "resetPassword", "changePassword"),
            *("sendEmailConfirmation", "emailConfirmation", "connect"),
        )
    ),
)
"""Permissions of the public role, so that requests are validated."""
ADMINISTRATOR: Final = "root@example.org"
_GOOD: Final = {"email": "ann@example.org", "password": "Correct-horse-1", "passwordConfirmation": "Correct-horse-1"}


@dataclass(frozen=True, slots=True)
class HostileCall:
    """A request without credentials."""

    name: str
    method: str
    target: str
    body: bytes = b""
    content_type: str = JSON
    headers: tuple[tuple[str, str], ...] = ()


async def open_attacked_shop(folder: Path, variables: Mapping[str, str]) -> Site:
    """Open a bookshop with an administrator, where all clients can sign in, register and upload files."""
    site = await open_bookshop(folder, variables)
    await _continue_ids(site)
    await create_administrator(site.database, NewAdministrator(ADMINISTRATOR, _GOOD["password"]))
    for action in ACTIONS:
        await write(site.database, "INSERT INTO up_permissions (action) VALUES ({v1})", action)
        link = """INSERT INTO up_permissions_role_links (permission_id, role_id)
            SELECT max(p.id), (SELECT id FROM up_roles WHERE type = 'public') FROM up_permissions p"""
        await write(site.database, link)
    return site


async def _continue_ids(site: Site) -> None:
    """Advance the ids of the database past those of the bookshop's content."""
    tables = ("admin_users", "admin_users_roles_links", "up_permissions", "up_permissions_role_links")
    counters = site.database.dialect.continue_ids(tables)
    if counters is not None:
        async with site.database.transaction() as transaction:
            await transaction.fetch_all(counters)


def anonymous_calls(size: int) -> Iterator[HostileCall]:
    """Return requests to every endpoint with every body of about `size` bytes. Query strings are limited to the
    accepted length.
    """
    yield from _account_calls(size)
    yield from _json_calls(size)
    yield from _graphql_calls(size)
    yield from _query_calls(min(size, LONGEST_URL))
    yield from _form_calls(size)
    yield from _upload_calls(size)
    yield from _header_calls(min(size, LONGEST_URL))


def administrator_calls(size: int, token: str) -> Iterator[HostileCall]:
    """Return requests that only administrators can send: texts for UID attributes."""
    path, signed = "/content-manager/uid/generate", (("Authorization", f"Bearer {token}"),)

    def send(name: str, uid: str, field: str, data: str) -> HostileCall:
        body = f'{{"contentTypeUID":{uid},"field":{field},"data":{data}}}'.encode()
        return HostileCall(f"{path} {name}", "POST", path, body, headers=signed)

    book, slug = '"api::book.book"', '"slug"'
    for name, make in TEXTS.items():
        text = orjson.dumps(make(size)).decode()
        yield send(f"title: {name}", book, slug, f'{{"title":{text}}}')
        yield send(f"contentTypeUID: {name}", text, slug, '{"title":"a"}')
        yield send(f"field: {name}", book, text, '{"title":"a"}')
    for name, make in SHAPES.items():
        yield send(f"title: {name}", book, slug, f'{{"title":{make(size)}}}')
        yield send(f"data: {name}", book, slug, make(size))


async def sign_in_administrator(send: Callable[[HostileCall], Awaitable[bytes]]) -> str:
    """Sign in as the shop's administrator and return the token."""
    given = orjson.dumps({"email": ADMINISTRATOR, "password": _GOOD["password"]})
    answer = await send(HostileCall("", "POST", "/admin/login", given))
    token: str = orjson.loads(answer)["data"]["token"]
    return token


def _body(fields: tuple[str, ...], named: str, value: str) -> bytes:
    """Return an object with JSON in one field, and valid values in the others."""
    given = {name: orjson.dumps(_GOOD.get(name, "ann")).decode() for name in fields} | {named: value}
    return b"{%b}" % ",".join(f'"{name}":{text}' for name, text in given.items()).encode()


def _account_calls(size: int) -> Iterator[HostileCall]:
    for path, fields in ACCOUNTS.items():
        for field in fields:
            for name, make in TEXTS.items():
                text = orjson.dumps(make(size)).decode()
                yield HostileCall(f"{path} {field}: {name}", "POST", path, _body(fields, field, text))
        for name, make in SHAPES.items():
            yield HostileCall(f"{path} {fields[0]}: {name}", "POST", path, _body(fields, fields[0], make(size)))


def _json_calls(size: int) -> Iterator[HostileCall]:
    for path in ("/api/auth/local", "/admin/login", "/graphql", "/api/books"):
        for name, make in SHAPES.items():
            yield HostileCall(f"{path}: {name}", "POST", path, make(size).encode())


_LOGIN: Final = "mutation ($a: String!) { login(input: { identifier: $a, password: $a }) { jwt } }"
_FORGOT: Final = "mutation ($a: String!) { forgotPassword(email: $a) { ok } }"
_READ: Final = "query ($a: BookFiltersInput) { books(filters: $a) { data { id } } }"
_CREATE: Final = "mutation ($a: BookInput!) { createBook(data: $a) { data { id } } }"
_IDS: Final = "query ($a: [ID]) { books(filters: { id: { in: $a } }) { data { id } } }"
_NAMED: Final = b'{"query":"query a { __typename } query b { __typename }","operationName":%b}'
_EXTENDED: Final = b'{"query":"{ __typename }","extensions":%b}'
_LONG: Final = (
    "query ($a: Int, $b: ID) { books(pagination: { limit: $a }) { data { id } } book(id: $b) { __typename } }"
)


def _graphql_calls(size: int) -> Iterator[HostileCall]:
    def send(name: str, query: str, variables: str = "null") -> HostileCall:
        body = b'{"query":%b,"variables":%b}' % (orjson.dumps(query), variables.encode())
        return HostileCall(f"/graphql {name}", "POST", "/graphql", body)

    for name, make in DOCUMENTS.items():
        yield send(name, make(size))
        text = quote(make(LONGEST_URL // 4))[:LONGEST_URL]
        yield HostileCall(f"/graphql GET {name}", "GET", f"/graphql?query={text}")
    for name, make in TEXTS.items():
        text = orjson.dumps(make(size)).decode()
        yield send(f"login: {name}", _LOGIN, f'{{"a":{text}}}')
        yield send(f"forgotPassword: {name}", _FORGOT, f'{{"a":{text}}}')
        yield send(f"filter: {name}", _READ, f'{{"a":{{"title":{{"containsi":{text}}}}}}}')
        yield send(f"number: {name}", _LONG, f'{{"a":{text}}}')
        yield send(f"id: {name}", _LONG, f'{{"b":{text}}}')
        yield send(f"a new book: {name}", _CREATE, f'{{"a":{{"title":{text},"slug":{text},"publishedAt":{text}}}}}')
        yield send(f"a variable's name: {name}", _LOGIN, f'{{{text}:"x"}}')
        yield HostileCall(f"/graphql operationName: {name}", "POST", "/graphql", _NAMED % text.encode())
        variables = quote(f'{{"a":{orjson.dumps(make(LONGEST_URL // 12)).decode()}}}')[:LONGEST_URL]
        target = f"/graphql?query={quote(_READ)}&variables={variables}"
        yield HostileCall(f"/graphql GET variables: {name}", "GET", target)
    for name, make in SHAPES.items():
        yield send(f"variables: {name}", _LOGIN, make(size))
        yield send(f"a new book: {name}", _CREATE, f'{{"a":{make(size)}}}')
        yield send(f"a list of ids: {name}", _IDS, f'{{"a":{make(size)}}}')
        yield HostileCall(f"/graphql extensions: {name}", "POST", "/graphql", _EXTENDED % make(size).encode())
        yield send(f"login: {name}", _LOGIN, f'{{"a":{make(size)}}}')
        yield send(f"filter: {name}", _READ, f'{{"a":{make(size)}}}')
        yield send(f"variables as text: {name}", _READ, orjson.dumps(f'{{"a":{make(size)}}}').decode())


def _query_calls(size: int) -> Iterator[HostileCall]:
    for text_name, make in TEXTS.items():
        text = quote(make(size // 3))[:size]
        for name, place in PARAMETERS.items():
            yield HostileCall(f"/api/books {name}: {text_name}", "GET", f"/api/books?{place(text)}")
        yield HostileCall(f"an id: {text_name}", "GET", f"/api/books/{text}")
        target = f"/api/auth/email-confirmation?confirmation={text}"
        yield HostileCall(f"email-confirmation: {text_name}", "GET", target)
        yield HostileCall(f"connect: {text_name}", "GET", f"/api/auth/github/callback?access_token={text}")
    for piece in ("[", "]", "[]", "&", "=", "%", "[a]", ".", ",", "a.", "populate[a]=*&", "a[0]=1&", "filters[$or][0]"):
        for name in ("", "populate", "filters", "sort="):
            yield HostileCall(f"/api/books {name} {piece}", "GET", f"/api/books?{name}{_filled(piece, size)}")


def _form_calls(size: int) -> Iterator[HostileCall]:
    for path in ("/api/auth/local", "/graphql", "/admin/login"):
        for name, make in TEXTS.items():
            body = f"identifier={quote(make(size // 3))}&password=x&email=x&query=x".encode()
            yield HostileCall(f"{path}, a form: {name}", "POST", path, body, FORM)
        for piece in ("&", "a=1&", "a[]=1&", "a[0]=1&", "a[b]=1&", "%41", "[", "a[b][c][d]=1&"):
            yield HostileCall(f"{path}, a form of {piece}", "POST", path, _filled(piece, size).encode(), FORM)
    for field in ("operations", "map", "data", "identifier"):
        for name, make in SHAPES.items():
            part = f'--B\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{make(size)}\r\n--B--\r\n'
            for path in ("/graphql", "/api/auth/local"):
                called = f"{path}, multipart {field}: {name}"
                yield HostileCall(called, "POST", path, part.encode(), MULTIPART, (("Apollo-Require-Preflight", "1"),))
    head = "--B\r\nContent-Disposition: form-data; name="
    heads = {"a long name": f'{head}"{_filled("a", size)}"', "semicolons": f"{head}a{_filled(';', size)}"}
    parts = {name: f"{text}\r\n\r\nx\r\n--B--\r\n" for name, text in heads.items()}
    parts["many parts"] = _filled(f'{head}"a"\r\n\r\nx\r\n', size) + "--B--\r\n"
    parts["boundaries"] = _filled("--B\r\n", size)
    parts["nearly boundaries"] = f'{head}"a"\r\n\r\n{_filled(chr(13) + chr(10) + "--", size)}'
    for name, text in parts.items():
        yield HostileCall(f"/graphql, multipart: {name}", "POST", "/graphql", text.encode(), MULTIPART)


def _upload_calls(size: int) -> Iterator[HostileCall]:
    def part(name: str, head: str = "", content: str = "x") -> str:
        return f'--B\r\nContent-Disposition: form-data; name="{name}"{head}\r\n\r\n{content}\r\n'

    def send(name: str, body: str) -> HostileCall:
        return HostileCall(f"/api/upload {name}", "POST", "/api/upload", f"{body}--B--\r\n".encode(), MULTIPART)

    file = part("files", '; filename="a.txt"')
    yield send("many fields", _filled(part("a"), size))
    yield send("many files", _filled(file, size))
    yield send("many empty files", _filled(part("files", '; filename=""', ""), size))
    yield send("many sets of words", file + _filled(part("fileInfo", "", "{}"), size))
    yield send("headers of a part", part("files", '; filename="a.txt"\r\n' + _filled("a: b\r\n", size)[:-2]))
    yield send("a long header of a part", part("files", f'; filename="a.txt"\r\na: {_filled("b", size)}'))
    yield send("parameters of a part", part("files", '; filename="a.txt"' + _filled("; a=b", size)))
    yield send("a long type", part("files", f'; filename="a.txt"\r\nContent-Type: {_filled("text/", size)}'))
    yield send("line ends", file + _filled("\r\n", size))
    for name, make in TEXTS.items():
        text = make(size).replace('"', "%22")
        short = text[:LONGEST_NAME_OF_FILE]
        info = orjson.dumps({"name": text, "alternativeText": text, "caption": text}).decode()
        yield send(f"a field's name: {name}", part(text))
        yield send(f"a file's name: {name}", part("files", f'; filename="{text}"'))
        yield send(f"a shorter name of a file: {name}", part("files", f'; filename="{short}.txt"'))
        yield send(f"fileInfo: {name}", file + part("fileInfo", "", info))
        yield send(f"a text: {name}", part("files", '; filename="a.svg"', make(size)))
    for name, make in SHAPES.items():
        yield send(f"fileInfo: {name}", file + part("fileInfo", "", make(size)))
        yield send(f"a name in fileInfo: {name}", file + part("fileInfo", "", f'{{"name":{make(size)}}}'))


def _header_calls(size: int) -> Iterator[HostileCall]:
    for name in HEADERS:
        for start in ("", "Bearer ", "bytes=", "multipart/form-data; boundary="):
            for piece in ("a", "1", ",", ";", "a=b; ", '\\"', " ", "a;q=1,"):
                value = start + _filled(piece, size // 2, "x")
                call = f"{name}: {start}{piece}"
                yield HostileCall(call, "GET", "/api/books", headers=((name, value),))
