"""UIDs, and patterns as messages show them."""

import pytest

from octavo.content.validation.patterns import is_uid, print_pattern


@pytest.mark.parametrize(
    "text, expected", [("a-B_c.~1", True), ("", True), ("a b", False), ("é", False), ("a\n", False)]
)
def test_uids(text: str, expected: bool) -> None:
    assert is_uid(text) is expected


@pytest.mark.parametrize(
    "pattern, printed", [("^https?://", r"/^https?:\/\//"), (r"^a\/b$", r"/^a\/b$/"), ("[/]", "/[/]/"), ("^x", "/^x/")]
)
def test_printed_patterns(pattern: str, printed: str) -> None:
    assert print_pattern(pattern) == printed
