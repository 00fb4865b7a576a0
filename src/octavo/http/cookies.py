"""Cookies: read from a request, set and dropped by an answer. Ours are for the server alone: `HttpOnly`, always."""

from typing import Final, Literal

from octavo.http.request import Request

SameSite = Literal["Strict", "Lax", "None"]

_DROPPED: Final = "Thu, 01 Jan 1970 00:00:00 GMT"


def read_cookies(request: Request) -> dict[str, str]:
    """The cookies by name; of several with one name the first counts. HTTP/2 sends each in a header of its own."""
    found: dict[str, str] = {}
    for name, value in request.scope["headers"]:
        if name == b"cookie":
            for part in value.decode("latin-1").split(";"):
                key, equals, text = part.strip().partition("=")
                if equals:
                    found.setdefault(key, text)
    return found


def set_cookie(
    name: str, value: str, seconds: int, *, secure: bool, path: str = "/", same_site: SameSite = "Lax"
) -> tuple[bytes, bytes]:
    """The header that has a browser keep a cookie for a while."""
    return _header(f"{name}={value}; Max-Age={seconds}", secure, path, same_site)


def drop_cookie(name: str, *, secure: bool, path: str = "/", same_site: SameSite = "Lax") -> tuple[bytes, bytes]:
    """The header that has a browser forget a cookie. Its attributes have to be those it was set with."""
    return _header(f"{name}=; Max-Age=0; Expires={_DROPPED}", secure, path, same_site)


def _header(start: str, secure: bool, path: str, same_site: SameSite) -> tuple[bytes, bytes]:
    text = f"{start}; Path={path}; HttpOnly; SameSite={same_site}" + ("; Secure" if secure else "")
    return b"set-cookie", text.encode("latin-1")
