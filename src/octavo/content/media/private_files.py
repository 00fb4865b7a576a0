"""Private files: the table that lists them, and the signed URLs with which they can be read.

A private file is not public at its URL. Responses contain a URL with a signature, which expires.
"""

import base64
import hashlib
import hmac
from collections.abc import Callable, Mapping, Sequence
from typing import Final
from urllib.parse import quote, unquote

from octavo.core.clock import SYSTEM_CLOCK, Clock
from octavo.core.errors import ForbiddenError
from octavo.database.connection import Connection
from octavo.query.sql.ddl.tables import SystemTable
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.raw_statement import RawStatement

TABLE: Final = SystemTable(
    "octavo_private_files", ("file_id integer PRIMARY KEY NOT NULL",), added=("by_folder integer",)
)
"""`by_folder` is 1 for files that are private only because their folder is."""

SIGNATURE: Final = "signature"
EXPIRES: Final = "expires"
_STEP: Final = 1800
"""URLs are equal for half an hour, so that browsers can cache the files, and valid for half an hour longer."""
_ADD: Final = RawStatement("""
INSERT INTO octavo_private_files (file_id, by_folder) VALUES ({file}, {by_folder})
{file_id:on_conflict} by_folder = {by_folder:proposed}""")
_REMOVE: Final = "DELETE FROM octavo_private_files WHERE file_id IN ({})"
_AT_ONCE: Final = 500


async def mark_private(connection: Connection, dialect: Dialect, file_id: int, *, by_folder: bool = False) -> None:
    """Add a file to the table. `by_folder`: it is private only because its folder is."""
    await connection.execute(*_ADD.bind(dialect, file=file_id, by_folder=1 if by_folder else None))


async def unmark_private(connection: Connection, file_ids: Sequence[int]) -> None:
    """Remove public or deleted files from the table."""
    for start in range(0, len(file_ids), _AT_ONCE):
        ids = ", ".join(str(int(file_id)) for file_id in file_ids[start : start + _AT_ONCE])
        await connection.execute(_REMOVE.format(ids))


def sign(path: str, query: str, secret: str) -> str:
    """Return the signature of a URL, without the parameter `signature`."""
    digest = hmac.digest(secret.encode(), f"{path}?{query}".encode(), hashlib.sha256)
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def check_signature(
    path: str, query: str, given: Mapping[str, str], secret: str, now: float, *, is_private: bool
) -> None:
    """Raise ForbiddenError for a wrong or expired signature. `now` is in seconds since 1970.

    `is_private`: the URL must expire. Otherwise URLs from the time when the file was public would stay valid.
    """
    signed, _, signature = query.rpartition(f"&{SIGNATURE}=")
    if not hmac.compare_digest(sign(path, signed, secret).encode(), signature.encode()):
        raise ForbiddenError(f"{SIGNATURE}: wrong signature. It must be the last parameter and cover all others")
    expires = given.get(EXPIRES)
    if expires is None and is_private:
        raise ForbiddenError(f"{EXPIRES}: required in signed URLs, because the file is private")
    if expires is not None and not (expires.isascii() and expires.isdigit() and int(expires[:12]) > now):
        raise ForbiddenError(f"{EXPIRES}: the URL has expired")


def path_signer(secret: str, clock: Clock = SYSTEM_CLOCK) -> Callable[[str, str], str]:
    """Return a function that signs the URL of a file of this server: its decoded path, and its query string."""

    def signed(path: str, query: str) -> str:
        path = quote(path, safe="/")
        expires = (int(clock.wall()) // _STEP + 2) * _STEP
        query = f"{query}&{EXPIRES}={expires}" if query else f"{EXPIRES}={expires}"
        return f"{path}?{query}&{SIGNATURE}={sign(path, query, secret)}"

    return signed


def local_url_signer(sign: Callable[[str, str], str]) -> Callable[[str], str]:
    """Return a function that signs a URL of the local storage, whose path is not encoded."""

    def signed(url: str) -> str:
        path, _, query = url.partition("?")
        return sign(path, query)

    return signed


def remote_url_signer(
    sign: Callable[[str, str], str], name_of: Callable[[str], str | None], base: str
) -> Callable[[str], str]:
    """Return a function that replaces a URL in a bucket with one of this service, signed.

    Other URLs are those of transformed images, which are already of this service. `base` is its URL, or empty.
    """

    def signed(url: str) -> str:
        path, _, query = url.removeprefix(base).partition("?")
        if path.startswith("/"):
            return f"{base}{sign(unquote(path), query)}"
        name = name_of(url)
        return url if name is None else f"{base}{sign(f'/uploads/{name}', '')}"

    return signed


def private_key(secret: str) -> str:
    """Return the end of the name of the folder with private files."""
    return hmac.digest(secret.encode(), b"private files", hashlib.sha256).hex()[:32]
