"""Errors deep in a response: nulls preceded by white space, which is removed from the bytes."""

import pytest

from octavo.api.graphql.execution.error_format import render
from octavo.api.graphql.execution.error_sentinels import ErrorSentinels, is_error, is_marked, one_null
from octavo.core.errors import ForbiddenError, PaginationError, ValidationError
from octavo.query.answer import Fixed, Object, Value

FORBIDDEN, WRONG, MIXED = ForbiddenError(), ValidationError("wrong"), PaginationError("mixed")


def answer_with(*nulls: Fixed) -> bytes:
    """Return a response with a list of these nulls."""
    return b'{"a":1,"b":[%b]}' % b",".join(null.json.encode() for null in nulls)


def test_each_sentinel_is_a_distinct_null() -> None:
    sentinels = ErrorSentinels()
    nulls = [sentinels.forbidden(), sentinels.null(WRONG), sentinels.null(MIXED), sentinels.forbidden()]
    assert [null.json for null in nulls] == ["\r\t\rnull", "\r\n\rnull", "\r\n\t\rnull", "\r\t\rnull"]
    assert sentinels.errors == [render(FORBIDDEN), render(WRONG), render(MIXED)]


def test_responses_without_sentinels_do_not_change() -> None:
    sentinels = ErrorSentinels()
    sentinels.forbidden()
    answer = answer_with(Fixed("null"))
    assert sentinels.take(answer) == (answer, [])
    assert not is_marked([answer])


def test_each_occurrence_of_a_sentinel_becomes_an_error() -> None:
    sentinels = ErrorSentinels()
    forbidden, wrong, mixed = sentinels.forbidden(), sentinels.null(WRONG), sentinels.null(MIXED)
    answer = answer_with(wrong, forbidden, mixed, wrong)
    assert is_marked([b"{}", answer])
    assert sentinels.take(answer) == (
        b'{"a":1,"b":[null,null,null,null]}',
        [render(MIXED), render(FORBIDDEN), render(WRONG), render(WRONG)],
    )


def test_one_null_contains_all_sentinels() -> None:
    sentinels = ErrorSentinels()
    null = one_null([Value("title"), sentinels.forbidden(), Fixed("null"), sentinels.null(WRONG)])
    assert null == Fixed("\r\t\r\r\n\rnull")
    assert sentinels.take(null.json.encode()) == (b"null", [render(FORBIDDEN), render(WRONG)])


@pytest.mark.parametrize(
    "answer, expected",
    [
        (ErrorSentinels().forbidden(), True),
        (Fixed("null"), False),
        (Value("title"), False),
        (Object((("a", ErrorSentinels().forbidden()),)), False),
    ],
)
def test_is_error(answer: object, expected: bool) -> None:
    assert is_error(answer) is expected
