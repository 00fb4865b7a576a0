"""Names and constant texts."""

import pytest

from octavo.sql.quoting import literal, quote


@pytest.mark.parametrize("name, expected", [("order", '"order"'), ('a"b', '"a""b"'), ("größe", '"größe"')])
def test_identifiers_are_quoted(name: str, expected: str) -> None:
    assert quote(name) == expected


@pytest.mark.parametrize("text, expected", [("it's", "'it''s'"), ('{"a":', "'{\"a\":'")])
def test_constant_texts_are_quoted(text: str, expected: str) -> None:
    assert literal(text) == expected
