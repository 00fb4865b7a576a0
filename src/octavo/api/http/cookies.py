"""Cookies: read from a request, set and dropped by an answer. Ours are for the server alone: `HttpOnly`, always."""

from typing import Final, Literal

from octavo.api.http.request import Request
from octavo.core.values import dataclass

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


@dataclass(frozen=True, slots=True)
class Cookie:
    """A cookie and its attributes: a browser forgets it only when told with those that it was set with."""

    name: str
    secure: bool
    path: str = "/"
    same_site: SameSite = "Lax"

    def read(self, request: Request) -> str:
        """Its value; empty if it was not sent."""
        return read_cookies(request).get(self.name, "")

    def set(self, value: str, seconds: int) -> tuple[bytes, bytes]:
        """The header that has a browser keep it for a while."""
        return self._header(f"{value}; Max-Age={seconds}")

    def drop(self) -> tuple[bytes, bytes]:
        """The header that has a browser forget it."""
        return self._header(f"; Max-Age=0; Expires={_DROPPED}")

    def _header(self, content: str) -> tuple[bytes, bytes]:
        secure = "; Secure" if self.secure else ""
        text = f"{self.name}={content}; Path={self.path}; HttpOnly; SameSite={self.same_site}{secure}"
        return b"set-cookie", text.encode("latin-1")
