"""Validation of email addresses."""

import pytest

from octavo.core.forms.texts import is_email


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
def test_invalid_email_addresses(text: str) -> None:
    assert not is_email(text)
