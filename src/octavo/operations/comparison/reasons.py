"""Documented reasons for differences: the intentional differences from Strapi v4, and code that does not run."""

import re
from collections.abc import Callable, Container
from typing import Final
from urllib.parse import parse_qsl

from octavo.core.errors import ClosedError
from octavo.core.values import dataclass
from octavo.operations.comparison.differences import Difference
from octavo.operations.comparison.masks import Path
from octavo.operations.comparison.requests import ComparedRequest
from octavo.operations.comparison.sending import Answer

_PAGE: Final = "from-strapi-v4.md"
_MATCHES_TEXT: Final = re.compile(r"\[\$(?:not)?(?:contains|startsWith|endsWith)i?\]", re.IGNORECASE)
_POPULATE_LIMIT: Final = re.compile(r"^populate\b.*\[(?:limit|start|page|pageSize)\]$")
_FILES: Final = re.compile(r".*/upload/files/?")
_NESTED_POPULATE: Final = re.compile(r"\[?([\w-]+)\]?\[populate\]\[([A-Za-z_][\w-]*)\]")
_GRAPHQL_TEXT: Final = re.compile(r'(?:[cC]ontains|startsWith|endsWith)i?\s*:\s*\\?"[^"]*[%_]')
_INTERNAL: Final = "INTERNAL_SERVER_ERROR"
_CONTENT: Final = frozenset({"value", "type", "length", "order", "missing", "added"})
_ENTRY_KEYS: Final = frozenset({"__type", "createdAt", "updatedAt"})
_TIME: Final = re.compile(r"\d\d:\d\d:\d\d(?:\.\d{1,3})?", re.ASCII)
_EXACT: Final = 2**53

Rule = Callable[[ComparedRequest, Difference, Answer, Answer], bool]


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason with its place in the documentation. `applies` decides whether it explains a difference."""

    name: str
    text: str
    link: str
    applies: Rule


def _not_ported(_: ComparedRequest, difference: Difference, __: Answer, new: Answer) -> bool:
    return difference.kind == "status" and new.status == 501


def _closed(_: ComparedRequest, difference: Difference, __: Answer, new: Answer) -> bool:
    return difference.kind == "status" and new.status == 403 and _message(new) == ClosedError.message


def _message(answer: Answer) -> object:
    body = answer.json()
    error = body[0].get("error") if body and isinstance(body[0], dict) else None
    return error.get("message") if isinstance(error, dict) else None


def _internal_error(_: ComparedRequest, difference: Difference, old: Answer, new: Answer) -> bool:
    if difference.kind == "status":
        return old.status == 500 and new.status < 500
    below_errors = difference.path[:1] == ("errors",)
    was_null = difference.kind == "type" and difference.old is None and difference.path[:1] == ("data",)
    return (below_errors or was_null) and _INTERNAL in _graphql_codes(old) and _INTERNAL not in _graphql_codes(new)


def _graphql_codes(answer: Answer) -> list[object]:
    body = answer.json()
    errors = body[0].get("errors") if body and isinstance(body[0], dict) else None
    if not isinstance(errors, list):
        return []
    extensions = [error.get("extensions") for error in errors if isinstance(error, dict)]
    return [one.get("code") for one in extensions if isinstance(one, dict)]


def _stack_trace(_: ComparedRequest, difference: Difference, __: Answer, ___: Answer) -> bool:
    return difference.kind == "missing" and difference.shape == "$.errors[*].extensions.exception"


def _wildcards(request: ComparedRequest, difference: Difference, _: Answer, __: Answer) -> bool:
    if not _is_content(difference):
        return False
    return bool(_GRAPHQL_TEXT.search(request.body)) or any(
        _MATCHES_TEXT.search(name) and ("%" in value or "_" in value) for name, value in _query(request)
    )


def _populate_limit(request: ComparedRequest, difference: Difference, _: Answer, __: Answer) -> bool:
    return _is_below_entry(difference) and any(_POPULATE_LIMIT.match(name) for name, _ in _query(request))


def _unsorted_files(request: ComparedRequest, difference: Difference, _: Answer, __: Answer) -> bool:
    is_list = difference.kind == "order" and _FILES.fullmatch(request.path) is not None
    return is_list and not any(name.partition("[")[0] == "sort" for name, _ in _query(request))


def _nested_populate(request: ComparedRequest, difference: Difference, old: Answer, _: Answer) -> bool:
    if difference.kind != "added" or difference.path[:1] != ("data",):
        return False
    names = (match.groups() for name, _ in _query(request) if (match := _NESTED_POPULATE.search(name)))
    return any(difference.path[-2:] == pair for pair in names) and _is_bare_entry(old, difference.path[:-1])


def _is_bare_entry(answer: Answer, path: Path) -> bool:
    """Return whether a value is the entry of a polymorphic relation: without envelope, but with times or a type."""
    value = answer.json()
    for part in (0, *path):
        try:
            value = value[part]  # type: ignore[index]
        except (IndexError, KeyError, TypeError):
            return False
    return isinstance(value, dict) and not _ENTRY_KEYS.isdisjoint(value) and "__component" not in value


def _available_locales(_: ComparedRequest, difference: Difference, __: Answer, ___: Answer) -> bool:
    if difference.kind != "added" or difference.path[:1] != ("data",) or difference.path[-1] != "meta":
        return False
    return isinstance(difference.new, dict) and difference.new.keys() <= {"availableLocales"}


def _big_integers(_: ComparedRequest, difference: Difference, __: Answer, ___: Answer) -> bool:
    if difference.kind != "value":
        return False
    try:
        old, new = int(difference.old), int(difference.new)
    except (TypeError, ValueError):
        return False
    return abs(new) > _EXACT and float(old) == float(new)


def _time_zeros(_: ComparedRequest, difference: Difference, __: Answer, ___: Answer) -> bool:
    texts = [str(value) for value in (difference.old, difference.new)]
    if difference.kind != "value" or not all(map(_TIME.fullmatch, texts)):
        return False
    old, new = (text.rstrip("0").rstrip(".") if "." in text else text for text in texts)
    return old == new


def _is_content(difference: Difference) -> bool:
    return difference.kind in _CONTENT and bool(difference.path) and difference.path[0] in ("data", "meta")


def _is_below_entry(difference: Difference) -> bool:
    return _is_content(difference) and "attributes" in difference.path[:-1]


def _query(request: ComparedRequest) -> list[tuple[str, str]]:
    try:
        return parse_qsl(request.target.partition("?")[2], keep_blank_values=True, max_num_fields=500)
    except ValueError:
        return []


REASONS: Final = (
    Reason(
        "not ported",
        "The handler of this route is v4 code, which does not run in Octavo.",
        f"{_PAGE}#code-that-does-not-run",
        _not_ported,
    ),
    Reason(
        "closed", "v4 code guards this route and is not ported or allowed.", f"{_PAGE}#code-that-does-not-run", _closed
    ),
    Reason(
        "internal error",
        "v4 fails with an internal error; Octavo rejects the input or returns the content.",
        f"{_PAGE}#intentional-differences",
        _internal_error,
    ),
    Reason(
        "available locales",
        "The `meta` of entries exists, and has `availableLocales` for localized types.",
        f"{_PAGE}#intentional-differences",
        _available_locales,
    ),
    Reason(
        "wildcards",
        "`%` and `_` in `$contains` and similar operators are ordinary characters.",
        f"{_PAGE}#intentional-differences",
        _wildcards,
    ),
    Reason(
        "limit in populate",
        "`limit` in `populate` applies to each parent.",
        f"{_PAGE}#intentional-differences",
        _populate_limit,
    ),
    Reason(
        "order of files",
        "Unsorted files are in the order of their ids; v4 returns them in the order of the database, which changes.",
        f"{_PAGE}#intentional-differences",
        _unsorted_files,
    ),
    Reason(
        "nested populate",
        "v4 ignores the object form of `populate` below a polymorphic relation.",
        f"{_PAGE}#intentional-differences",
        _nested_populate,
    ),
    Reason(
        "stack traces",
        "v4 returns stack traces unless `NODE_ENV` is `production`.",
        f"{_PAGE}#intentional-differences",
        _stack_trace,
    ),
    Reason(
        "trailing zeros of times",
        "REST on PostgreSQL leaves out trailing zeros of times, as v4 does; v4 on SQLite and MySQL does not.",
        "moving-data.md#from-mysql-or-mariadb",
        _time_zeros,
    ),
    Reason("big integers", "Big integers are exact.", f"{_PAGE}#intentional-differences", _big_integers),
)


PRIVATE: Final = Reason(
    "private attributes",
    "Polymorphic relations never contain private attributes, and GraphQL never returns passwords.",
    f"{_PAGE}#intentional-differences",
    lambda *_: False,
)


def reason_for(
    request: ComparedRequest, difference: Difference, old: Answer, new: Answer, private: Container[str] = ()
) -> Reason | None:
    """Return the documented reason for a difference, or None. `private` are names of private attributes."""
    hides = difference.kind == "missing" or (difference.kind == "type" and difference.new is None)
    if hides and difference.path[:1] == ("data",) and difference.path[-1] in private:
        return PRIVATE
    return next((reason for reason in REASONS if reason.applies(request, difference, old, new)), None)
