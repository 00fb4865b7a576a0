"""One-time codes: only the text that was mailed opens, only for a while, and never what the table holds."""

import re

import pytest

from octavo.authentication.one_time_codes import is_good, is_plain, issue_code, user_of

NOW = 1_700_000_000


def test_a_code() -> None:
    code, other = issue_code(7, NOW, 3600), issue_code(7, NOW, 3600)
    assert user_of(code.text) == 7
    assert re.fullmatch(r"octavo\$1700003600\$[0-9a-f]{64}", code.stored)
    assert code.text not in code.stored
    assert len(code.stored) < 255
    assert code.text != other.text
    assert [is_good(code.text, code.stored, NOW + after) for after in (0, 3599, 3600)] == [True, True, False]
    assert not is_good(other.text, code.stored, NOW)
    assert not is_good(code.stored, code.stored, NOW)
    assert not is_plain(code.stored)


@pytest.mark.parametrize(
    "code, stored, expected",
    [
        ("ab12", "ab12", True),
        ("ab12", "ab13", False),
        ("ab12", None, False),
        ("ü\ud800", "ab12", False),
        ("", "octavo$", False),
        ("", "octavo$9999999999$", False),
    ],
)
def test_other_codes(code: str, stored: str | None, expected: bool) -> None:
    assert is_good(code, stored, NOW) is expected


@pytest.mark.parametrize("code", ["", "ab12", "7-short", "0-" + "a" * 43, "9999999999-" + "a" * 43, "٧-" + "a" * 43])
def test_texts_that_name_nobody(code: str) -> None:
    assert user_of(code) is None
    assert is_plain(code)
