"""Persisted queries: a client sends the SHA-256 of a text, and the text itself only when it is not known yet."""

import hashlib
from collections import OrderedDict
from typing import Any

from graphql import GraphQLError

NOT_FOUND = "PersistedQueryNotFound"
NOT_FOUND_CODE = "PERSISTED_QUERY_NOT_FOUND"


class PersistedQueryNotFound(Exception):
    """No text of that hash is known: the client is to send it."""


class PersistedQueries:
    """The texts that clients have sent with their hashes; the ones used last, `most` of them."""

    def __init__(self, most: int = 1_000, most_characters: int = 2_000_000) -> None:
        self._most = most
        self._most_characters = most_characters
        self._characters = 0
        self._known: OrderedDict[str, str] = OrderedDict()

    def resolve(self, text: str, extensions: Any) -> str:
        """The text that is meant. Raises PersistedQueryNotFound, and GraphQLError for a hash of something else."""
        named = extensions.get("persistedQuery") if isinstance(extensions, dict) else None
        if not isinstance(named, dict):
            return text
        if named.get("version") != 1:
            raise GraphQLError("Unsupported persisted query version")
        key = str(named.get("sha256Hash"))
        if not text:
            return self._find(key)
        if hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() != key:
            raise GraphQLError("provided sha does not match query")
        self._remember(key, text)
        return text

    def _find(self, key: str) -> str:
        found = self._known.get(key)
        if found is None:
            raise PersistedQueryNotFound
        self._known.move_to_end(key)
        return found

    def _remember(self, key: str, text: str) -> None:
        if key not in self._known:
            self._characters += len(text)
        self._known[key] = text
        self._known.move_to_end(key)
        while len(self._known) > self._most or self._characters > self._most_characters:
            _, forgotten = self._known.popitem(last=False)
            self._characters -= len(forgotten)
