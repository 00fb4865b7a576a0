"""What is kept by text is bounded in count and in bytes."""

import pytest

from octavo.graphql.persisted import PersistedQueries, PersistedQueryRefused
from octavo.graphql.texts import CacheLimits, TextCache


def test_the_entries_used_last_are_kept() -> None:
    cache: TextCache[int] = TextCache(CacheLimits(entries=2))
    cache.put("a", 1, "a")
    cache.put("b", 2, "b")
    assert cache.get("a") == 1
    cache.put("c", 3, "c")
    assert [cache.get(key) for key in "abc"] == [1, None, 3]


def test_bytes_are_counted_and_not_letters() -> None:
    cache: TextCache[int] = TextCache(CacheLimits(bytes=10))
    cache.put("a", 1, "€€")  # six bytes
    cache.put("b", 2, "four")
    assert [cache.get(key) for key in "ab"] == [1, 2]
    cache.put("c", 3, "x")
    assert [cache.get(key) for key in "abc"] == [None, 2, 3]


def test_an_entry_that_is_put_again_counts_once() -> None:
    cache: TextCache[int] = TextCache(CacheLimits(bytes=10))
    for number in range(5):
        cache.put("a", number, "12345")
    cache.put("b", 2, "12345")
    assert [cache.get(key) for key in "ab"] == [4, 2]


def test_what_is_larger_than_everything_is_not_kept() -> None:
    cache: TextCache[int] = TextCache(CacheLimits(bytes=10))
    cache.put("a", 1, "x" * 11)
    assert cache.get("a") is None
    cache.put("b", 2, "x" * 10)
    assert cache.get("b") == 2


def test_halves_of_signs_can_be_counted() -> None:
    cache: TextCache[int] = TextCache(CacheLimits())
    cache.put("a", 1, "\ud800")
    assert cache.get("a") == 1


def test_persisted_queries_are_bounded() -> None:
    known = PersistedQueries(CacheLimits(entries=1))
    hashes = {
        "a": "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb",
        "b": "3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d",
    }
    for text, sha in hashes.items():
        assert known.resolve(text, {"persistedQuery": {"version": 1, "sha256Hash": sha}}) == text
    assert known.resolve("", {"persistedQuery": {"version": 1, "sha256Hash": hashes["b"]}}) == "b"
    with pytest.raises(PersistedQueryRefused, match="PersistedQueryNotFound"):
        known.resolve("", {"persistedQuery": {"version": 1, "sha256Hash": hashes["a"]}})
