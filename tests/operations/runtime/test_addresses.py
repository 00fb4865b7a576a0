"""Hosts and ports of several servers."""

import pytest

from octavo.operations.runtime.database_servers import EXPECTED, read_places


@pytest.mark.parametrize(
    "text, places",
    [
        ("db", [("db", 5432)]),
        ("db:1, other", [("db", 1), ("other", 5432)]),
        ("::1", [("::1", 5432)]),
        ("[::1]:1,[::2]", [("::1", 1), ("::2", 5432)]),
        ("/run/a:b", [("/run/a:b", 5432)]),
    ],
)
def test_places(text: str, places: list[tuple[str, int]]) -> None:
    assert list(read_places(text, 5432)) == places


@pytest.mark.parametrize("text", ["", "a,", ":1", "a:", "a:x", "a:0", "a:65536", "[]:1"])
def test_refused_places(text: str) -> None:
    with pytest.raises(ValueError, match=EXPECTED):
        read_places(text, 5432)
