"""Run a comparison: send each request for each role to both services, confirm differences, and collect results."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from octavo.core.errors import OctavoError
from octavo.core.values import dataclass
from octavo.operations.comparison.differences import compare
from octavo.operations.comparison.masks import Masks
from octavo.operations.comparison.outcomes import OutcomeForm, confirmed
from octavo.operations.comparison.progress_file import ProgressFile
from octavo.operations.comparison.redaction import Redaction
from octavo.operations.comparison.requests import ComparedRequest, is_read
from octavo.operations.comparison.results import Outcome, Results
from octavo.operations.comparison.sending import Answer, Service

_MOST_UNREACHABLE: Final = 5


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
        self._roles, self._progress, self._report = roles, progress, report
        tokens = (token for role in roles for token in (role.old_token, role.new_token))
        self._form = OutcomeForm(Redaction(tokens), private)
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
                outcome = await self._compare(request, role)
                if self._progress and outcome.state != "failed":
                    self._progress.add(outcome)
            self._results.add(outcome)
            self._done += 1
            self._report(self._done, total)

    async def _compare(self, request: ComparedRequest, role: Role) -> Outcome:
        old, new = await self._send(request, role)
        differences = compare(old, new, self._masks)
        if old.failure and new.failure:
            return self._form.outcome(request, role.name, (old, new), "failed")
        state = "equal"
        if differences and is_read(request):
            again = await self._send(request, role)
            differences, state = confirmed(differences, old, again, self._masks)
            old, new = again
        if differences:
            state = "different"
        return self._form.outcome(request, role.name, (old, new), state, differences)

    async def _send(self, request: ComparedRequest, role: Role) -> tuple[Answer, Answer]:
        old, new = await asyncio.gather(
            self._old.send(request, role.old_token), self._new.send(request, role.new_token)
        )
        for name, service, answer in (("old", self._old, old), ("new", self._new, new)):
            self._unreachable[name] = self._unreachable[name] + 1 if answer.unreachable else 0
            if self._unreachable[name] >= _MOST_UNREACHABLE:
                raise ServiceUnreachable(f"{service.url} cannot be reached. Is it running?")
        return old, new
