"""The rehearsal: v4 writes, Octavo reads and writes, v4 reads and deletes, and everything is compared."""

import asyncio
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import islice
from typing import Any, Final

import orjson

from octavo.core.plurals import counted
from octavo.core.values import dataclass
from octavo.operations.comparison.differences import compare
from octavo.operations.comparison.generated_requests import generate_requests, private_names
from octavo.operations.comparison.masks import Masks
from octavo.operations.comparison.outcomes import OutcomeForm
from octavo.operations.comparison.redaction import Redaction, shortened
from octavo.operations.comparison.requests import ComparedRequest
from octavo.operations.comparison.results import Results
from octavo.operations.comparison.sending import Answer, Service
from octavo.operations.runtime.definitions import project_registry
from octavo.schema.content_types import ContentType
from octavo.v4.rehearsal.bodies import changed_data, sample_data
from octavo.v4.rehearsal.copies import ProjectCopy, prepare_copy
from octavo.v4.rehearsal.services import running

_MOST_REQUESTS: Final = 2_000
_CONCURRENCY: Final = 4
_RATE: Final = 1_000.0
_MOST_BYTES: Final = 4 * 1024**2
_JSON: Final = "application/json"
_FIRST_ERROR: Final = 400
_FIRST_PROBLEM: Final = 500
_NOT_PORTED: Final = 501
V4: Final = "v4"
OCTAVO: Final = "Octavo"
_BOUNDARY: Final = "rehearsal"
_FILE: Final = (
    f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="rehearsal.txt"\r\n'
    f"Content-Type: text/plain\r\n\r\nrehearsal\r\n--{_BOUNDARY}--\r\n"
)

Snapshot = dict[str, tuple[ComparedRequest, Answer]]


@dataclass(slots=True)
class Rehearsal:
    """The result. `comparisons` are by title; `refused` are writes that a service rejected; `rows` are tables whose
    number of rows has changed: before and after."""

    comparisons: dict[str, Results] = field(default_factory=dict)
    written: dict[str, int] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    rows: dict[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """Whether v4 can read and write everything after Octavo."""
        return not self.problems and not any(one.unexplained for one in self.comparisons.values())

    def as_json(self) -> dict[str, Any]:
        """Return the report."""
        return {
            "holds": self.holds,
            "problems": self.problems,
            "comparisons": {title: results.as_json() for title, results in self.comparisons.items()},
            "written": self.written,
            "refused": self.refused,
            "rows": {name: {"before": before, "after": after} for name, (before, after) in self.rows.items()},
        }


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry that a service has created. `path` is its URL, `kind` its content type, or None for a file."""

    path: str
    number: int
    kind: ContentType | None = None


class _Caller:
    """Sends requests with the token, and notes writes that a service refuses."""

    def __init__(self, name: str, port: int, token: str, rehearsal: Rehearsal) -> None:
        self.name, self._rehearsal, self._token = name, rehearsal, token
        self.entries = 0
        self.service = Service(f"http://127.0.0.1:{port}", rate=_RATE, seconds=60.0, most_bytes=_MOST_BYTES)

    async def read(self, requests: Iterable[ComparedRequest]) -> Snapshot:
        """Send all requests and return the responses."""
        snapshot: Snapshot = {}
        waiting = iter(requests)

        async def work() -> None:
            for request in waiting:
                snapshot[request.key("")] = request, await self.service.send(request, self._token)

        await asyncio.gather(*(work() for _ in range(_CONCURRENCY)))
        return snapshot

    async def write(self, method: str, path: str, data: Any = None, *, required: bool = False) -> Any:
        """Send a write and return the response's JSON, or None if it is refused. `required`: that is a problem."""
        body = "" if data is None else orjson.dumps({"data": data}).decode()
        made = await self.send(ComparedRequest(method, path, body, _JSON if body else ""), required=required)
        self.entries += made is not None
        return made

    async def send(self, request: ComparedRequest, *, required: bool = False) -> Any:
        """Send a request that writes, like `write`."""
        answer = await self.service.send(request, self._token)
        if not answer.failure and answer.status < _FIRST_ERROR:
            self._rehearsal.written[self.name] = self._rehearsal.written.get(self.name, 0) + 1
            value = answer.json()
            return value[0] if value else {}
        text = f"{self.name}: {request.method} {request.target}: {_reason_of(answer)}"
        is_own_error = self.name == OCTAVO and answer.status >= _FIRST_PROBLEM and answer.status != _NOT_PORTED
        is_problem = required or answer.failure or is_own_error
        (self._rehearsal.problems if is_problem else self._rehearsal.refused).append(text)
        return None


def unanswered(title: str, pairs: Sequence[tuple[ComparedRequest, Answer, Answer]]) -> Iterator[str]:
    """Yield a problem if no request of a comparison succeeded, or one for each that failed at both services."""
    if all(_first_error(*answers) for _, *answers in pairs):
        example = f", for example {_shown(*pairs[0])}" if pairs else ""
        yield f"{title}: none of {counted(len(pairs), 'request')} succeeded{example}"
        return
    for request, one, other in pairs:
        if _is_failed(one) and _is_failed(other):
            yield f"{title}: {_shown(request, one, other)}"


def _first_error(*answers: Answer) -> Answer | None:
    return next((one for one in answers if one.failure or one.status >= _FIRST_ERROR), None)


def _is_failed(answer: Answer) -> bool:
    return bool(answer.failure) or (answer.status >= _FIRST_PROBLEM and answer.status != _NOT_PORTED)


def _shown(request: ComparedRequest, *answers: Answer) -> str:
    error = _first_error(*answers)
    return f"{request.method} {request.target}: {_reason_of(error) if error else ''}"


def _reason_of(answer: Answer) -> str:
    if answer.failure:
        return answer.failure
    value = answer.json()
    error = value[0].get("error") if value and isinstance(value[0], dict) else None
    message = error.get("message") if isinstance(error, dict) else ""
    return f"{answer.status} {shortened(Redaction().text(str(message or '')))}".strip()


async def rehearse(
    copy: ProjectCopy, command: Sequence[str], seconds: float, report: Callable[[str], None]
) -> Rehearsal:
    """Rehearse the switch to Octavo and back to v4 on a copy. `report` gets each step. Raises ApplicationError."""
    work = _Work(copy, command, seconds)
    await prepare_copy(copy)
    report("v4 starts, reads everything and creates entries")
    await work.run_v4(work.first)
    report("Octavo starts, reads everything, updates these entries and creates others")
    await work.run_octavo(work.second)
    report("v4 starts again, reads everything, updates and deletes the entries")
    await work.run_v4(work.third)
    work.compare_rows()
    return work.rehearsal


class _Work:
    """The three rounds and what they share."""

    def __init__(self, copy: ProjectCopy, command: Sequence[str], seconds: float) -> None:
        self.rehearsal = Rehearsal()
        self._copy, self._command, self._seconds = copy, command, seconds
        settings = copy.settings
        self._registry = project_registry(settings)
        self._prefix = settings.api.rest.prefix
        graphql = settings.plugins.graphql
        endpoint = graphql.config.endpoint if graphql.enabled else ""
        generated = generate_requests(self._registry, prefix=self._prefix, graphql=endpoint)
        self._requests = list(islice(generated, _MOST_REQUESTS))
        self._form = OutcomeForm(Redaction([copy.token]), private_names(self._registry))
        hosts = (f"{host}:{port}" for host in ("127.0.0.1", "localhost") for port in (copy.v4_port, copy.octavo_port))
        self._masks = Masks(hosts, exact=("ids", "times"))
        self._entries: list[_Entry] = []
        self._before: Snapshot = {}
        self._last: Snapshot = {}
        self._rows: Mapping[str, int] = {}

    async def run_v4(self, work: Callable[[_Caller], Any]) -> None:
        """Run v4 and a round."""
        copy = self._copy
        async with running(V4, self._command, copy.folder, copy.variables, copy.v4_port, self._seconds):
            await work(_Caller(V4, copy.v4_port, copy.token, self.rehearsal))

    async def run_octavo(self, work: Callable[[_Caller], Any]) -> None:
        """Run Octavo and a round."""
        copy, port = self._copy, str(self._copy.octavo_port)
        command = (sys.executable, "-m", "octavo", "start", "--host", "127.0.0.1", "--port", port)
        async with running(OCTAVO, command, copy.folder, copy.variables, copy.octavo_port, self._seconds):
            await work(_Caller(OCTAVO, copy.octavo_port, copy.token, self.rehearsal))

    async def first(self, v4: _Caller) -> None:
        """Read everything twice, to recognize responses that v4 does not repeat, and create entries."""
        first, again = await v4.read(self._requests), await v4.read(self._requests)
        changed = {key for key, (_, one) in first.items() if compare(one, again[key][1], self._masks)}
        self._requests = [one for one in self._requests if one.key("") not in changed]
        self._before = {key: value for key, value in first.items() if key not in changed}
        self._rows = self._copy.rows()
        await self._create(v4, 1)
        self._require_writes(v4)
        self._last = await v4.read(self._reads())

    async def second(self, octavo: _Caller) -> None:
        """Read what v4 has written, update it, and create entries."""
        await self._compare("Octavo reads what v4 has written", octavo)
        for entry in self._entries:
            await self._update(octavo, entry, 10)
        await self._create(octavo, 2)
        self._require_writes(octavo)
        self._last = await octavo.read(self._reads())

    async def third(self, v4: _Caller) -> None:
        """Read what Octavo has written, update and delete it, and check that nothing else has changed."""
        await self._compare("v4 reads what Octavo has written", v4, is_old_new=False)
        for entry in self._entries:
            await self._update(v4, entry, 20, required=True)
        for entry in reversed(self._entries):
            await v4.write("DELETE", entry.path, required=True)
        after = await v4.read(self._requests)
        self._add("v4 finds all other content unchanged", self._before, after)

    async def _compare(self, title: str, caller: _Caller, *, is_old_new: bool = True) -> None:
        """Compare the last snapshot with what a service reads now."""
        now = await caller.read(self._reads())
        before, after = (self._last, now) if is_old_new else (now, self._last)
        self._add(title, before, after)

    def _add(self, title: str, old: Snapshot, new: Snapshot) -> None:
        results = Results(V4, OCTAVO)
        for key, (request, one) in old.items():
            other = new[key][1]
            differences = compare(one, other, self._masks)
            state = "different" if differences else "equal"
            results.add(self._form.outcome(request, "full access", (one, other), state, differences))
        self.rehearsal.comparisons[title] = results
        self.rehearsal.problems += unanswered(
            title, [(request, one, new[key][1]) for key, (request, one) in old.items()]
        )

    def _require_writes(self, caller: _Caller) -> None:
        """Note a problem if a service has written no entry, although the project has collection types."""
        kinds = sum(kind.is_api and not kind.is_single for kind in self._registry.content_types.values())
        if kinds and not caller.entries:
            text = f"{caller.name} wrote no entry of the project's {counted(kinds, 'collection type')}"
            self.rehearsal.problems.append(f"{text}, so its writes are not rehearsed: see the rejected writes")

    def _reads(self) -> list[ComparedRequest]:
        entries = (f"{entry.path}?populate=*" if entry.kind else entry.path for entry in self._entries)
        return [*self._requests, *(ComparedRequest("GET", target) for target in entries)]

    async def _create(self, caller: _Caller, number: int) -> None:
        """Create an entry of each content type, and a file if files are stored in the project."""
        ids = self._existing_ids()
        for kind in self._registry.content_types.values():
            if not kind.is_api or (kind.is_single and self._has_single(kind)):
                continue
            name = kind.singular_name if kind.is_single else kind.plural_name
            data = sample_data(self._registry, kind, number, ids)
            path = f"{self._prefix}/{name}"
            made = await caller.write("PUT" if kind.is_single else "POST", path, data)
            if kind.is_single:
                if made is not None:
                    self._entries.append(_Entry(path, number, kind))
            elif (entry_id := _id_of(made)) is not None:
                self._entries.append(_Entry(f"{path}/{entry_id}", number, kind))
        if self._copy.settings.plugins.upload.config.provider == "local":
            content_type = f"multipart/form-data; boundary={_BOUNDARY}"
            made = await caller.send(ComparedRequest("POST", f"{self._prefix}/upload", _FILE, content_type))
            if isinstance(made, list) and made and isinstance(made[0], dict):
                self._entries.append(_Entry(f"{self._prefix}/upload/files/{made[0].get('id')}", number))

    async def _update(self, caller: _Caller, entry: _Entry, more: int, *, required: bool = False) -> None:
        data = changed_data(entry.kind, entry.number + more) if entry.kind else {}
        if data:
            await caller.write("PUT", entry.path, data, required=required)

    def _has_single(self, kind: ContentType) -> bool:
        path = f"{self._prefix}/{kind.singular_name}"
        is_created = any(entry.path == path for entry in self._entries)
        return is_created or any(
            request.target == path and answer.status < _FIRST_ERROR for request, answer in self._before.values()
        )

    def _existing_ids(self) -> dict[str, int]:
        """Return the id of the first entry of each collection."""
        ids: dict[str, int] = {}
        answers = {request.target: answer for request, answer in self._before.values()}
        for uid, kind in self._registry.content_types.items():
            answer = answers.get(f"{self._prefix}/{kind.plural_name}?sort=id")
            value = answer.json() if answer else None
            data = value[0].get("data") if value and isinstance(value[0], dict) else None
            if isinstance(data, list) and data and isinstance(data[0], dict) and isinstance(data[0].get("id"), int):
                ids[uid] = data[0]["id"]
        return ids

    def compare_rows(self) -> None:
        """Note the tables whose number of rows has changed."""
        after = self._copy.rows()
        for name in sorted({*self._rows, *after}):
            if self._rows.get(name, 0) != after.get(name, 0):
                self.rehearsal.rows[name] = self._rows.get(name, 0), after.get(name, 0)


def _id_of(made: Any) -> int | None:
    data = made.get("data") if isinstance(made, dict) else None
    entry_id = data.get("id") if isinstance(data, dict) else None
    return entry_id if isinstance(entry_id, int) else None
