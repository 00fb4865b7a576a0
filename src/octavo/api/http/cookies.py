"""Read cookies from requests, and set and delete them in responses. Octavo's cookies are always `HttpOnly`."""

from typing import Final, Literal

from octavo.api.http.request import Request
from octavo.core.values import dataclass

SameSite = Literal["Strict", "Lax", "None"]

_DROPPED: Final = "Thu, 01 Jan 1970 00:00:00 GMT"


def read_cookies(request: Request) -> dict[str, str]:
    """Return the cookies by name, the first one for duplicates. HTTP/2 sends each in a separate header."""
    cookies: dict[str, str] = {}
    for name, value in request.scope["headers"]:
        if name == b"cookie":
            for part in value.decode("latin-1").split(";"):
                key, equals, text = part.strip().partition("=")
                if equals:
                    cookies.setdefault(key, text)
    return cookies


@dataclass(frozen=True, slots=True)
class Cookie:
    """A cookie and its attributes. A browser deletes a cookie only if path and attributes match."""

    name: str
    secure: bool
    path: str = "/"
    same_site: SameSite = "Lax"

    def read(self, request: Request) -> str:
        """Return its value, or an empty string if it was not sent."""
        return read_cookies(request).get(self.name, "")

    def set(self, value: str, seconds: int) -> tuple[bytes, bytes]:
        """Return the header that sets the cookie."""
        return self._header(f"{value}; Max-Age={seconds}")

    def drop(self) -> tuple[bytes, bytes]:
        """Return the header that deletes the cookie."""
        return self._header(f"; Max-Age=0; Expires={_DROPPED}")

    def _header(self, content: str) -> tuple[bytes, bytes]:
        secure = "; Secure" if self.secure else ""
        text = f"{self.name}={content}; Path={self.path}; HttpOnly; SameSite={self.same_site}{secure}"
        return b"set-cookie", text.encode("latin-1")
