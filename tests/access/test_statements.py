"""Statements in the words of each database."""

import pytest

from octavo.access.statements import say

TEXT = "UPDATE t SET used = at(?1), kept = ?12 WHERE ms(t.made_at) < ?2"


@pytest.mark.parametrize(
    "dialect, said",
    [
        ("sqlite", "UPDATE t SET used = ?1, kept = ?12 WHERE t.made_at < ?2"),
        (
            "postgresql",
            "UPDATE t SET used = (timestamp 'epoch' + $1::bigint * interval '1 millisecond'), kept = $12"
            " WHERE (extract(epoch FROM t.made_at) * 1000)::bigint < $2",
        ),
    ],
)
def test_say(dialect: str, said: str) -> None:
    assert say(dialect, TEXT) == said
