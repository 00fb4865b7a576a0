"""Validate links in settings that browsers and mail programs open: web pages, never scripts."""

import re
from typing import Any, Final

_WEB: Final = re.compile(r"https?://[^\s/?#\\@<>\"'\x00-\x1f\x7f]+(?:[/?#][^\s\\<>\"\x00-\x1f\x7f]*)?", re.IGNORECASE)
_PATH: Final = re.compile(r"/(?:[^\s/\\<>\"\x00-\x1f\x7f][^\s\\<>\"\x00-\x1f\x7f]*)?")
_NOT_TEXT: Final = re.compile(r".*[\\\x00-\x1f\x7f]|\s*//|[^/?#]*:", re.DOTALL)
_LONGEST: Final = 2_000

EXPECTED: Final = "a URL that begins with http:// or https://, or a path that begins with a single /"


def is_web_link(value: Any) -> bool:
    """Return whether a value is a web URL or a path on this server.

    Browsers take `//host` and `/\\host` as other servers, and also the host after an `@`.
    """
    if not isinstance(value, str) or len(value) > _LONGEST:
        return False
    return _WEB.fullmatch(value) is not None or _PATH.fullmatch(value) is not None


def is_harmless(value: Any) -> bool:
    """Return whether a value is a web URL, or a text that browsers take neither for a script nor for another server.

    v4 stores such texts ("not a url") as settings; they are not opened.
    """
    return is_web_link(value) or (isinstance(value, str) and len(value) <= _LONGEST and _NOT_TEXT.match(value) is None)
