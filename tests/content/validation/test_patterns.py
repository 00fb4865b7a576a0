"""E-mail addresses, UIDs, and patterns as messages show them."""

import pytest

from octavo.content.validation.patterns import is_email, is_uid, print_pattern


@pytest.mark.parametrize(
    "address",
    [
        "a@b.co",
        "a@b.c",
        "é@b.co",
        "a@é.co",
        '"q"@b.co',
        "a@b_c.co",
        "a+b@c.co",
        "x" * 65 + "@b.co",
        "a@b.c-d",
        "a'b@c.co",
    ],
)
def test_addresses(address: str) -> None:
    assert is_email(address)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "a@",
        "@b.co",
        "a@b",
        "a..b@c.co",
        ".a@b.co",
        "a.@b.co",
        "a@b..co",
        "a@-b.co",
        "a@[1.2.3.4]",
        "a@1.2.3.4",
        "a@b.co ",
        " a@b.co",
        "a@b.co.",
        "a@b.123",
        "a\n@b.co",
        "a@" + "b" * 100_000,
    ],
)
def test_what_is_no_address(text: str) -> None:
    assert not is_email(text)


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
