"""One-time codes: only the mailed text is valid, only for a while, and only for the account as it was."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from octavo.access.authentication.one_time_codes import (
    CodeSubject,
    IssuedCode,
    administrator_of,
    is_plain_match,
    is_valid,
    issue_administrator_code,
    issue_user_code,
    may_be_plain,
    user_of,
)

NOW = 1_700_000_000
SUBJECT = CodeSubject("user reset", 7, "ann@example.org", "$2a$10$hash")
Issue = Callable[[CodeSubject, float, float], IssuedCode]


@pytest.mark.parametrize(
    "issue, account_of", [(issue_user_code, user_of), (issue_administrator_code, administrator_of)]
)
def test_a_code(issue: Issue, account_of: Callable[[str], int | None]) -> None:
    code, other = issue(SUBJECT, NOW, 3600), issue(SUBJECT, NOW, 3600)
    assert account_of(code.text) == 7
    assert re.fullmatch(r"octavo\$1700003600\$[0-9a-f]{64}", code.stored)
    assert code.text not in code.stored
    assert len(code.stored) < 255
    assert code.text != other.text
    assert [is_valid(code.text, code.stored, SUBJECT, NOW + after) for after in (0, 3599, 3600)] == [True, True, False]
    assert not is_valid(other.text, code.stored, SUBJECT, NOW)
    assert not is_valid(code.stored, code.stored, SUBJECT, NOW)
    assert not may_be_plain(code.stored)


@pytest.mark.parametrize(
    "other",
    [
        replace(SUBJECT, purpose="user confirmation"),
        replace(SUBJECT, account=8),
        replace(SUBJECT, address="Ann@example.org"),
        replace(SUBJECT, password="$2a$10$other"),
        replace(SUBJECT, password=None),
    ],
)
def test_a_code_is_bound_to_its_subject(other: CodeSubject) -> None:
    code = issue_user_code(SUBJECT, NOW, 3600)
    assert not is_valid(code.text, code.stored, other, NOW)


def test_an_administrators_code_looks_like_that_of_v4() -> None:
    assert re.fullmatch("[0-9a-f]{40}", issue_administrator_code(SUBJECT, NOW, 3600).text)


@pytest.mark.parametrize("stored", [None, "", "ab12", "octavo$", "octavo$9999999999$", "octavo$x$y"])
def test_other_stored_texts_are_not_valid_codes(stored: str | None) -> None:
    for code in ("", "ab12", "ü\ud800"):
        assert not is_valid(code, stored, SUBJECT, NOW)


@pytest.mark.parametrize(
    "code, stored, expected",
    [
        ("ab12", "ab12", True),
        ("ab12", "ab13", False),
        ("ab12", None, False),
        ("ü\ud800", "ab12", False),
        ("", "", False),
        ("octavo$1$x", "octavo$1$x", False),
        ("a" * 256, "a" * 256, False),
    ],
)
def test_codes_of_v4(code: str, stored: str | None, expected: bool) -> None:
    assert is_plain_match(code, stored) is expected


@pytest.mark.parametrize("code", ["", "ab12", "7-short", "0-" + "a" * 43, "9999999999-" + "a" * 43, "٧-" + "a" * 43])
def test_texts_without_a_users_id(code: str) -> None:
    assert user_of(code) is None


@pytest.mark.parametrize("code", ["", "ab12", "0" * 40, "f" * 40, "0000000A" + "0" * 32])
def test_texts_without_an_administrators_id(code: str) -> None:
    assert administrator_of(code) is None
