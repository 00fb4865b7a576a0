"""Automatic persisted queries: a client sends a SHA-256 hash, and the text only if the hash is unknown."""

import hashlib
from typing import Any

from graphql import GraphQLError

from octavo.core.cache import Cache

NOT_FOUND = "PersistedQueryNotFound"
NOT_FOUND_CODE = "PERSISTED_QUERY_NOT_FOUND"
NOT_SUPPORTED = "PersistedQueryNotSupported"
NOT_SUPPORTED_CODE = "PERSISTED_QUERY_NOT_SUPPORTED"


class PersistedQueryRefused(Exception):
    """An unknown hash. `code` asks the client to send the text, or to stop sending hashes."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


class PersistedQueries:
    """The texts that clients have sent with their hashes. Disabled without a cache."""

    def __init__(self, cache: Cache[str, str] | None) -> None:
        self._known = cache

    def resolve(self, text: str, extensions: Any) -> str:
        """Return the text of a request. Raises PersistedQueryRefused, and GraphQLError for the hash of another text."""
        named = extensions.get("persistedQuery") if isinstance(extensions, dict) else None
        if not isinstance(named, dict):
            return text
        if self._known is None:
            raise PersistedQueryRefused(NOT_SUPPORTED, NOT_SUPPORTED_CODE)
        if named.get("version") != 1:
            raise GraphQLError("Unsupported persisted query version")
        key = str(named.get("sha256Hash"))
        if not text:
            found = self._known.get(key)
            if found is None:
                raise PersistedQueryRefused(NOT_FOUND, NOT_FOUND_CODE)
            return found
        if hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() != key:
            raise GraphQLError("provided sha does not match query")
        self._known.put(key, text)
        return text
