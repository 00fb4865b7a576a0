"""Serve private files at signed URLs: `GET /uploads/cat_0f3a9c2b71.jpg?expires=...&signature=...`.

It is the last source of files, because private files are not in the public folder.
"""

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import Final
from urllib.parse import parse_qsl

from octavo.api.http.image_files import UPLOADS, PrivateAccess, has_access, vary_by_caller
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.api.http.static import StaticOptions, answer_content, file_stat, safe_segments, served_type
from octavo.content.media.private_files import EXPIRES, SIGNATURE, check_signature
from octavo.content.media.storage.base import ContentFacts, PrivateStorage
from octavo.core.clock import SYSTEM_CLOCK, Clock
from octavo.core.errors import ForbiddenError

_REFUSAL: Final = "The file is private. Use the URL from a response of the API: it has a signature, and expires"
_ATTEMPTS: Final = 3
"""How often a file is opened again that was replaced meanwhile."""


class PrivateFiles:
    """The private files of a storage."""

    def __init__(
        self,
        storage: PrivateStorage,
        secret: str,
        max_age: int,
        clock: Clock = SYSTEM_CLOCK,
        access: PrivateAccess | None = None,
        *,
        is_remote: bool = False,
    ) -> None:
        """Create the files. `max_age` is the maximum lifetime in the caches of browsers, in seconds.

        `access`: callers for whom it returns True need no signature. `is_remote`: only their requests and signed URLs
        read from the storage; other requests get no response.
        """
        self._is_remote = is_remote
        self._access = access
        self._storage = storage
        self._secret = secret
        self._max_age = max_age
        self._clock = clock

    async def respond(self, request: Request) -> Response | None:
        """Return a private file; None if the path is not of one. Raises ForbiddenError without a valid signature."""
        path = request.raw_path
        segments = safe_segments(path[len(UPLOADS) :]) if path.startswith(UPLOADS) else None
        if segments is None:
            return None
        name, now = "/".join(segments), self._clock.wall()
        query = request.scope["query_string"].decode("latin-1")
        given = dict(parse_qsl(query, keep_blank_values=True))
        is_permitted = await has_access(self._access, request, given)
        if self._is_remote and not is_permitted:  # others cannot cause requests to the storage
            if SIGNATURE not in given:
                return None
            self._check(path, query, given, now)
        facts = await asyncio.to_thread(self._storage.private_facts, name)
        if facts is None:
            return None
        if is_permitted:
            options = StaticOptions("private, max-age=0", entity_tags=True, untrusted=True)
            response = await self._serve(request, name, facts, options)
            return None if response is None else vary_by_caller(response)
        if not self._is_remote:
            self._check(path, query, given, now)
        remaining = int(given[EXPIRES][:12]) - int(now)
        options = StaticOptions(f"private, max-age={min(remaining, self._max_age)}", entity_tags=True, untrusted=True)
        return await self._serve(request, name, facts, options)

    def _check(self, path: str, query: str, given: Mapping[str, str], now: float) -> None:
        """Raise ForbiddenError without a valid signature."""
        if SIGNATURE not in given:
            raise ForbiddenError(_REFUSAL)
        check_signature(path, query, given, self._secret, now, is_private=True)

    async def _serve(
        self, request: Request, name: str, facts: ContentFacts | None, options: StaticOptions
    ) -> Response | None:
        for _ in range(_ATTEMPTS):
            if facts is None:
                return None
            stat, open_part = file_stat(facts.size, facts.changed), partial(self._storage.open_private, name, facts)
            try:
                return await answer_content(request, stat, served_type(name, options), options, open_part)
            except FileNotFoundError:
                facts = await asyncio.to_thread(self._storage.private_facts, name)
        return None
