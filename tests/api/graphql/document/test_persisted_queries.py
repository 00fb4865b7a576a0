"""Persisted queries: found by their hash while they are cached."""

import pytest

from octavo.api.graphql.document.persisted_queries import PersistedQueries, PersistedQueryRefused
from octavo.core.cache import ENTRY_BYTES, LARGEST_SHARE, CacheBudget

HASHES = {
    "a": "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb",
    "b": "3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d",
}


def extensions(sha: str) -> dict[str, object]:
    return {"persistedQuery": {"version": 1, "sha256Hash": sha}}


def test_a_text_is_found_by_its_hash() -> None:
    known = PersistedQueries(CacheBudget(1_000_000).cache("persisted"))
    for text, sha in HASHES.items():
        assert known.resolve(text, extensions(sha)) == text
        assert known.resolve("", extensions(sha)) == text


def test_unknown_hashes_are_reported() -> None:
    known = PersistedQueries(CacheBudget(LARGEST_SHARE * ENTRY_BYTES).cache("persisted"))
    assert known.resolve("a", extensions(HASHES["a"])) == "a"
    with pytest.raises(PersistedQueryRefused, match="PersistedQueryNotFound"):
        known.resolve("", extensions(HASHES["a"]))
