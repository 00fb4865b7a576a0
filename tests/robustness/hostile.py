"""Generate hostile requests for a project. Equal seeds give equal requests, whatever the responses."""

import base64
import hashlib
import hmac
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry
from tests.robustness.hostile_bodies import BodyMaker
from tests.robustness.hostile_queries import QueryMaker
from tests.robustness.nasty import Pairs, json_text, json_value, text
from tests.robustness.wire import Header, HostileRequest

JSON_TYPE: Header = (b"Content-Type", b"application/json")
USER, FILE = "plugin::users-permissions.user", "plugin::upload.file"
PLUGIN_LISTS = (
    *((USER, b"/api/users"), (USER, b"/api/users/me"), (USER, b"/api/users/count")),
    *((FILE, b"/api/upload/files"), (FILE, b"/api/upload/files/1")),
)
ACCOUNT_PATHS = (
    *((b"POST", b"/api/auth/" + name) for name in (b"local", b"local/register", b"forgot-password", b"reset-password")),
    *((b"POST", b"/api/auth/" + name) for name in (b"change-password", b"send-email-confirmation")),
    *((b"GET", b"/api/auth/email-confirmation"), (b"POST", b"/api/users"), (b"PUT", b"/api/users/4")),
    *(
        (b"DELETE", b"/api/users/x"),
        (b"POST", b"/api/users-permissions/roles"),
        (b"PUT", b"/api/users-permissions/roles/9"),
    ),
)
ACCOUNT_KEYS = (
    *("identifier", "password", "username", "email", "code", "passwordConfirmation", "currentPassword", "confirmation"),
    *("role", "provider", "confirmed", "blocked", "resetPasswordToken", "id", "name", "description", "permissions"),
)
METHODS = (b"GET", b"POST", b"PUT", b"DELETE", b"PATCH", b"HEAD", b"OPTIONS", b"TRACE", b"PROPFIND", b"get", b"X" * 60)
OTHER_PATHS = (
    *(b"/", b"/_health", b"/api", b"/api/", b"//api", b"/admin", b"/uploads", b"/uploads/x.png", b"/graphql"),
    *(b"/api/users", b"/api/users/me", b"/api/users/count", b"/api/users/3", b"/api/users/0", b"/api/upload/files"),
    *(b"/api/upload/files/1", b"/api/i18n/locales", b"/api/users-permissions/roles", b"/api/users-permissions/roles/1"),
    *(b"/api/users-permissions/permissions", b"/api/connect/github", b"/api/auth/local", b"/api/upload"),
)
SEGMENTS = (
    *(
        b"%2f",
        b"%2e%2e",
        b"..",
        b".",
        b"%00",
        b"%ff",
        b"%",
        b"%zz",
        b"%ed%a0%80",
        b"\xff\xfe",
        b"caf\xc3\xa9",
        b"a" * 3000,
    ),
    *(b"%5c..%5c", b";x=1", b"1.json", b"1e0", b"01", b"0x1", b"-1", b"1e400", b"99999999999999999999", b"2147483648"),
    *(b"%31", b"1%20", b"count", b"me", b"localizations", b"__proto__", b"$where", b"%F0%9F%98%80", b"*", b"1,2"),
)
CONTENT_TYPES = (
    *(
        b"application/json; charset=utf-7",
        b"application/json;charset=",
        b"application/JSON",
        b"text/plain",
        b"*/*",
        b"",
    ),
    *(
        b"application/x-www-form-urlencoded",
        b"multipart/form-data",
        b"multipart/form-data; boundary=",
        b"application/xml",
    ),
    *(b"application/json, application/json", b"a" * 2000, b"application/vnd.api+json", b"\xff\xfe", b"multipart/mixed"),
    *(
        b'multipart/form-data; boundary="',
        b"multipart/form-data; boundary=\xe9",
        b"multipart/form-data; boundary=" + b"b" * 300,
    ),
)
ODD_HEADERS: tuple[Header, ...] = (
    *((b"Content-Encoding", value) for value in (b"gzip", b"br", b"deflate", b"identity", b"gzip, gzip", b"\xff")),
    *((b"Accept", value) for value in (b"", b"text/html", b"*/*;q=nan", b"x" * 3000)),
    *((b"Origin", value) for value in (b"null", b"http://evil.example", b"\xff\xfe", b"http://[::1", b"a" * 3000)),
    *((b"Range", value) for value in (b"bytes=0-0", b"bytes=-1", b"bytes=5-1", b"bytes=" + b"9" * 400 + b"-", b"x")),
    *((b"Host", value) for value in (b"evil.example", b"", b"a:99999", b"[::1", b"\xff")),
    *((b"X-Forwarded-For", value) for value in (b"1.2.3.4", b"x" * 2000, b", , ,", b"\xff")),
    *((b"If-None-Match", b'"x"'), (b"If-Modified-Since", b"yesterday"), (b"Cookie", b"a=b; " * 300), (b"Expect", b"x")),
    *(
        (b"Access-Control-Request-Method", b"PUT"),
        (b"Accept-Language", b"\xe9"),
        (b"X-HTTP-Method-Override", b"DELETE"),
    ),
    *((b"Transfer-Encoding", b"gzip"), (b"Upgrade", b"h2c"), (b"X-Long", b"v" * 8000)),
)


@dataclass(frozen=True)
class Callers:
    """Valid headers of the public (none), a user and a full token, and the secret of user tokens."""

    headers: tuple[tuple[Header, ...], ...]
    jwt_secret: bytes

    def writer(self, random: Random) -> tuple[Header, ...]:
        """Return a caller, mostly one with write permission."""
        return random.choice(self.headers[-1:] * 4 + self.headers)

    def any(self, random: Random) -> tuple[Header, ...]:
        """Return any caller."""
        return random.choice(self.headers + self.headers[-1:])


def signed(payload: bytes, secret: bytes, head: bytes = b'{"alg":"HS256","typ":"JWT"}') -> bytes:
    """Return a user token with any claims."""
    parts = b".".join(base64.urlsafe_b64encode(part).rstrip(b"=") for part in (head, payload))
    proof = hmac.new(secret, parts, hashlib.sha256).digest()
    return parts + b"." + base64.urlsafe_b64encode(proof).rstrip(b"=")


class Hostility:
    """Requests for the content types of a registry."""

    def __init__(self, registry: Registry, callers: Callers, seed: int) -> None:
        self._registry = registry
        self._callers = callers
        self._random = Random(seed)
        self._types = registry.api_types()
        self._queries = QueryMaker(registry, self._random)
        self._bodies = BodyMaker(registry, self._random)
        self._makers: tuple[tuple[int, Callable[[], HostileRequest]], ...] = (
            (44, self._query_request),
            (29, self._body_request),
            (7, self._path_request),
            (8, self._header_request),
            (6, self._form_request),
            (3, self._method_request),
            (3, self._account_request),
        )

    def requests(self, number: int) -> Iterator[HostileRequest]:
        """Yield this many requests."""
        weights, makers = zip(*self._makers, strict=True)
        for _ in range(number):
            yield self._random.choices(makers, weights)[0]()

    def _type(self) -> ContentType:
        return self._random.choice(self._types)

    def _path(self, content_type: ContentType, *, one: bool | None = None) -> bytes:
        if content_type.is_single:
            return f"/api/{content_type.singular_name}".encode()
        path = f"/api/{content_type.plural_name}"
        if one if one is not None else self._random.random() < 0.4:
            path += f"/{self._random.randrange(1, 12)}"
        return path.encode()

    def _path_request(self) -> HostileRequest:
        random = self._random
        path = random.choice(OTHER_PATHS) if random.random() < 0.4 else self._path(self._type())
        for _ in range(random.randrange(4)):
            path += random.choice((b"/", b"//", b"")) + random.choice(SEGMENTS)
        if random.random() < 0.2:
            path = path.swapcase()
        return HostileRequest("path", random.choice(METHODS[:4]), path, self._callers.any(random))

    def _method_request(self) -> HostileRequest:
        random = self._random
        body = json_text(json_value(random)).encode() if random.random() < 0.5 else b""
        headers = (*self._callers.any(random), JSON_TYPE)
        return HostileRequest("method", random.choice(METHODS), self._path(self._type()), headers, body)

    def _query_request(self) -> HostileRequest:
        random = self._random
        content_type = self._type()
        path = self._path(content_type)
        if random.random() < 0.12:
            uid, path = random.choice(PLUGIN_LISTS)
            content_type = self._registry.content_types[uid]
        query = self._queries.query(content_type)
        return HostileRequest("query", b"GET", path + b"?" + query, self._callers.any(random))

    def _body_request(self) -> HostileRequest:
        random = self._random
        content_type = self._type()
        creates = random.random() < 0.5 and not content_type.is_single
        path = self._path(content_type, one=not creates)
        if random.random() < 0.08:
            path, creates = path + b"/localizations", True
        if random.random() < 0.1:
            path += b"?" + self._queries.query(content_type)
        headers = (*self._callers.writer(random), JSON_TYPE)
        body = self._bodies.body(content_type)
        return HostileRequest("body", b"POST" if creates else b"PUT", path, headers, body)

    def _account_request(self) -> HostileRequest:
        random = self._random
        method, path = random.choice(ACCOUNT_PATHS)
        keys = random.sample(ACCOUNT_KEYS, random.randrange(6))
        values = Pairs((key, json_value(random) if random.random() < 0.5 else text(random)) for key in keys)
        headers = (*self._callers.any(random), JSON_TYPE)
        return HostileRequest("account", method, path, headers, json_text(values).encode())

    def _form_request(self) -> HostileRequest:
        random = self._random
        content_type = self._type()
        body, boundary = self._bodies.form(content_type, self._queries.names(content_type), CONTENT_TYPES)
        kind = (b"Content-Type", b'multipart/form-data; boundary="%b"' % boundary)
        method, one = random.choice(((b"POST", False), (b"PUT", True)))
        path = self._path(content_type, one=one)
        return HostileRequest("form", method, path, (*self._callers.writer(random), kind), body)

    def _header_request(self) -> HostileRequest:
        random = self._random
        content_type = self._type()
        method = random.choice((b"GET", b"POST", b"PUT"))
        is_known = random.random() < 0.5
        headers = [*self._callers.any(random)] if is_known else [(b"Authorization", self._authorization())]
        if method != b"GET" or random.random() < 0.1:
            kind = random.choice(CONTENT_TYPES) if random.random() < 0.5 else b"application/json"
            headers.append((b"Content-Type", kind))
        headers += random.sample(ODD_HEADERS, random.choice((0, 1, 2)))
        if random.random() < 0.02:
            headers += [(b"X-%d" % number, b"v") for number in range(150)]
        body = b"" if method == b"GET" else self._bodies.body(content_type)
        framed = all(name not in (b"Transfer-Encoding", b"Upgrade") for name, _ in headers)
        return HostileRequest("header", method, self._path(content_type), tuple(headers), body, framed=framed)

    def _authorization(self) -> bytes:
        random = self._random
        secret = self._callers.jwt_secret
        value = json_text(json_value(random)).encode()
        now = b'"exp":4000000000,"iat":1'
        good = self._callers.headers[-1][0][1]
        tokens = (
            signed(b'{"id":%b,%b}' % (value, now), secret),
            signed(b'{"id":1,"iat":1,"exp":%b}' % value, secret),
            signed(b'{"id":1,%b,"nbf":%b}' % (now, value), secret),
            signed(b'{"id":1,%b,"version":%b}' % (now, value), secret),
            signed(value, secret),
            signed(b'{"id":1,%b}' % now, b"another secret"),
            signed(b'{"id":1,%b}' % now, secret, b'{"alg":"none"}').rpartition(b".")[0] + b".",
            signed(b'{"id":1,%b}' % now, secret, b'{"alg":%b}' % value),
            signed(b'{"id":1,%b}' % now, secret, value),
            *(
                b"a.b.c",
                b"...",
                b".",
                b"a" * 5000,
                b"\xff\xfe",
                b"a b c",
                b"",
                good + b"x",
                good.removeprefix(b"Bearer ") + b"0",
            ),
        )
        scheme = random.choice((b"Bearer ", b"Bearer ", b"bearer ", b"Bearer", b"Basic ", b"Bearer  ", b"Token "))
        return scheme + random.choice(tokens)
