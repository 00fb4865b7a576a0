"""Links that settings name and browsers or mail programs follow: pages of the web, never scripts."""

import re
from typing import Any, Final

_WEB: Final = re.compile(r"https?://[^\s/?#\\@<>\"'\x00-\x1f\x7f]+(?:[/?#][^\s\\<>\"\x00-\x1f\x7f]*)?", re.IGNORECASE)
_PATH: Final = re.compile(r"/(?:[^\s/\\<>\"\x00-\x1f\x7f][^\s\\<>\"\x00-\x1f\x7f]*)?")
_NOT_TEXT: Final = re.compile(r".*[\\\x00-\x1f\x7f]|\s*//|[^/?#]*:", re.DOTALL)
_LONGEST: Final = 2_000

EXPECTED: Final = "an address that begins with http:// or https://, or a path that begins with one /"


def is_web_link(value: Any) -> bool:
    """Return whether a value is an address of the web, or a path on this server.

    `//host` and `/\\host` are other servers to browsers, and so is the host after an `@`.
    """
    if not isinstance(value, str) or len(value) > _LONGEST:
        return False
    return _WEB.fullmatch(value) is not None or _PATH.fullmatch(value) is not None


def is_harmless(value: Any) -> bool:
    """Return whether a value is a link to the web, or a text that no browser takes for a script or another server.

    v4 stores such texts ("not a url") as settings; they are not followed.
    """
    return is_web_link(value) or (isinstance(value, str) and len(value) <= _LONGEST and _NOT_TEXT.match(value) is None)
