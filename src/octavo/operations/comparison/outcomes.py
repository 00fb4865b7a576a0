"""The outcome of a request: confirmed differences, with their cause and reason, and without secrets."""

import re
from collections.abc import Sequence
from typing import Final

from octavo.operations.comparison.differences import Difference, compare
from octavo.operations.comparison.masks import Masks, Path
from octavo.operations.comparison.reasons import reason_for
from octavo.operations.comparison.redaction import Redaction
from octavo.operations.comparison.requests import ComparedRequest, is_read
from octavo.operations.comparison.results import Found, Outcome
from octavo.operations.comparison.sending import Answer

_ID: Final = re.compile(r"\d+|[0-9a-f-]{24,}", re.IGNORECASE)
_ROUTE_PARTS: Final = 4


def confirmed(
    first: Sequence[Difference], old: Answer, again: tuple[Answer, Answer], masks: Masks
) -> tuple[list[Difference], str]:
    """Return the differences that remain after a repetition, without those that the old service alone has.

    `old` is the first response of the old service, and `again` are the responses to the repeated request.
    """
    unstable = [one.path for one in compare(old, again[0], masks)]
    shapes = {(one.kind, one.shape) for one in first}
    repeated = [one for one in compare(*again, masks) if (one.kind, one.shape) in shapes]
    stable = [one for one in repeated if not any(_overlap(one.path, path) for path in unstable)]
    return stable, "different" if stable else "unstable"


def _overlap(one: Path, other: Path) -> bool:
    length = min(len(one), len(other))
    return one[:length] == other[:length]


class OutcomeForm:
    """Builds outcomes without secrets. `private` are names of private attributes."""

    def __init__(self, redaction: Redaction, private: frozenset[str] = frozenset()) -> None:
        self._redaction, self._private = redaction, private

    def outcome(
        self,
        request: ComparedRequest,
        role: str,
        answers: tuple[Answer, Answer],
        state: str,
        differences: Sequence[Difference] = (),
    ) -> Outcome:
        """Return the outcome of a request for a role. If the state is `failed`, it has the reason of a service."""
        redaction, (old, new) = self._redaction, answers
        return Outcome(
            key=request.key(role),
            role=role,
            method=request.method,
            target=redaction.target(request.target),
            route=redaction.text(route_of(request)),
            state=state,
            old_ms=round(old.seconds * 1000, 1),
            new_ms=round(new.seconds * 1000, 1),
            failure=(old.failure or new.failure) if state == "failed" else "",
            source=request.source,
            status=old.status,
            body=redaction.body(request.body) if differences and is_read(request) else "",
            differences=tuple(self._found(request, one, answers) for one in differences),
        )

    def explains_all(
        self, request: ComparedRequest, differences: Sequence[Difference], answers: tuple[Answer, Answer]
    ) -> bool:
        """Return whether each difference has a documented reason."""
        return all(reason_for(request, one, *answers, self._private) for one in differences)

    def _found(self, request: ComparedRequest, difference: Difference, answers: tuple[Answer, Answer]) -> Found:
        redaction, reason = self._redaction, reason_for(request, difference, *answers, self._private)
        key = str(next((part for part in reversed(difference.path) if isinstance(part, str)), ""))
        return Found(
            kind=difference.kind,
            shape=redaction.text(difference.shape),
            place=redaction.text(difference.place),
            old=redaction.value(key, difference.old),
            new=redaction.value(key, difference.new),
            cause=cause_of(difference, redaction),
            reason=reason.name if reason else "",
        )


def cause_of(difference: Difference, redaction: Redaction) -> str:
    """Return the cause that groups differences: their kind, and what both services returned if few values exist."""
    if difference.kind in ("status", "content type", "failure"):
        return redaction.text(f"{difference.kind} {difference.old or 'none'} -> {difference.new or 'none'}")
    if difference.kind == "type":
        return f"type {_kind(difference.old)} -> {_kind(difference.new)}"
    return difference.kind


def _kind(value: object) -> str:
    names = {"NoneType": "null", "bool": "boolean", "int": "number", "float": "number", "str": "string"}
    return names.get(type(value).__name__, "array" if isinstance(value, list) else "object")


def route_of(request: ComparedRequest) -> str:
    """Return the method and the path with `:id` for ids."""
    parts = request.path.strip("/").split("/")[:_ROUTE_PARTS]
    return f"{request.method} /" + "/".join(":id" if _ID.fullmatch(part) else part for part in parts)
