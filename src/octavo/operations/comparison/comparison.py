"""Run a comparison: send each request for each role to both services, confirm differences, and collect results."""

import asyncio
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from octavo.core.errors import OctavoError
from octavo.core.values import dataclass
from octavo.operations.comparison.differences import Difference, compare
from octavo.operations.comparison.masks import Masks, Path
from octavo.operations.comparison.progress_file import ProgressFile
from octavo.operations.comparison.reasons import reason_for
from octavo.operations.comparison.redaction import Redaction, shortened
from octavo.operations.comparison.requests import ComparedRequest, is_read
from octavo.operations.comparison.results import Found, Outcome, Results
from octavo.operations.comparison.sending import Answer, Service

_MOST_UNREACHABLE: Final = 5
_ID: Final = re.compile(r"\d+|[0-9a-f-]{24,}", re.IGNORECASE)
_ROUTE_PARTS: Final = 4


class ServiceUnreachable(OctavoError):
    """A service cannot be reached, so the comparison stops."""


@dataclass(frozen=True, slots=True)
class Role:
    """A role of callers, with its token for each service. The public role has none."""

    name: str
    old_token: str = ""
    new_token: str = ""


class Comparison:
    """Compares two services.

    `private` are names of private attributes, `progress` is the progress file, and `report` is called after each
    request with the finished and the total number.
    """

    def __init__(
        self,
        old: Service,
        new: Service,
        masks: Masks,
        results: Results,
        *,
        roles: Sequence[Role] = (Role("public"),),
        private: frozenset[str] = frozenset(),
        progress: ProgressFile | None = None,
        report: Callable[[int, int], None] = lambda done, total: None,
    ) -> None:
        self._old, self._new, self._masks, self._results = old, new, masks, results
        self._roles, self._private, self._progress, self._report = roles, private, progress, report
        self._redaction = Redaction(token for role in roles for token in (role.old_token, role.new_token))
        self._unreachable = {"old": 0, "new": 0}
        self._done = 0

    async def run(self, requests: Sequence[ComparedRequest], concurrency: int = 4) -> None:
        """Send the requests. If any of them writes, they are sent one after another. Raises ServiceUnreachable."""
        ordered = not all(map(is_read, requests))
        total = len(requests) * len(self._roles)
        waiting = ((request, role) for request in requests for role in self._roles)
        tasks = [asyncio.create_task(self._work(waiting, total)) for _ in range(1 if ordered else concurrency)]
        try:
            await asyncio.gather(*tasks)  # a TaskGroup leaves its caller marked as cancelled before Python 3.13.2
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _work(self, waiting: Iterator[tuple[ComparedRequest, Role]], total: int) -> None:
        for request, role in waiting:
            key = request.key(role.name)
            outcome = self._progress.finished.get(key) if self._progress else None
            if outcome is None:
                outcome = await self._compare(request, role, key)
                if self._progress and outcome.state != "failed":
                    self._progress.add(outcome)
            self._results.add(outcome)
            self._done += 1
            self._report(self._done, total)

    async def _compare(self, request: ComparedRequest, role: Role, key: str) -> Outcome:
        old, new = await self._send(request, role)
        differences = compare(old, new, self._masks)
        if old.failure and new.failure:
            return self._outcome(request, role, key, (old, new), "failed", failure=old.failure)
        state = "equal"
        if differences and is_read(request):
            again = await self._send(request, role)
            differences, state = self._confirmed(differences, old, again)
            old, new = again
        if differences:
            state = "different"
        return self._outcome(request, role, key, (old, new), state, differences)

    def _confirmed(
        self, first: list[Difference], old: Answer, again: tuple[Answer, Answer]
    ) -> tuple[list[Difference], str]:
        """Return the differences that remain after a repetition, without those that the old service alone has."""
        unstable = [one.path for one in compare(old, again[0], self._masks)]
        shapes = {(one.kind, one.shape) for one in first}
        repeated = [one for one in compare(*again, self._masks) if (one.kind, one.shape) in shapes]
        found = [one for one in repeated if not any(_overlap(one.path, path) for path in unstable)]
        return found, "different" if found else "unstable"

    async def _send(self, request: ComparedRequest, role: Role) -> tuple[Answer, Answer]:
        old, new = await asyncio.gather(
            self._old.send(request, role.old_token), self._new.send(request, role.new_token)
        )
        for name, service, answer in (("old", self._old, old), ("new", self._new, new)):
            self._unreachable[name] = self._unreachable[name] + 1 if answer.unreachable else 0
            if self._unreachable[name] >= _MOST_UNREACHABLE:
                raise ServiceUnreachable(f"The {name} service {service.url} cannot be reached. Is it running?")
        return old, new

    def _outcome(
        self,
        request: ComparedRequest,
        role: Role,
        key: str,
        answers: tuple[Answer, Answer],
        state: str,
        differences: Sequence[Difference] = (),
        failure: str = "",
    ) -> Outcome:
        redaction, (old, new) = self._redaction, answers
        return Outcome(
            key=key,
            role=role.name,
            method=request.method,
            target=redaction.target(request.target),
            route=redaction.text(route_of(request)),
            state=state,
            old_ms=round(old.seconds * 1000, 1),
            new_ms=round(new.seconds * 1000, 1),
            failure=failure,
            source=request.source,
            body=shortened(redaction.text(request.body)) if differences and is_read(request) else "",
            differences=tuple(self._found(request, one, answers) for one in differences),
        )

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


def _overlap(one: Path, other: Path) -> bool:
    length = min(len(one), len(other))
    return one[:length] == other[:length]


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
