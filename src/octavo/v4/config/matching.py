"""Match each key of a configuration file with its row, which results in settings, findings and problems."""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import field
from typing import Any, Final

from octavo.core.values import dataclass
from octavo.settings.findings import Finding, Outcome, advice, redacted_value
from octavo.settings.problems import SettingsProblem
from octavo.settings.sources import Given
from octavo.v4.config.rows import KEYS, Reading, Row
from octavo.v4.config.tree import Hole, HoleFound, Leaf, Node, Place, Table, plain

Path = tuple[str, ...]

NOT_EVALUATED: Final = "cannot be evaluated"
_NOTHING_NEW: Final = "always the case in Octavo"
HOW_TO_NAME_A_DATABASE: Final = "configure the database in config/database.toml, or set DATABASE_URL in .env"
_IN_CODE: Final = "a secret in the code, which everyone with access to the code can read"
_UNKNOWN: Final = "unknown key; only project code reads it"


@dataclass(frozen=True, slots=True)
class Needed:
    """A problem that prevents the start, unless another source provides the setting at `place`."""

    place: tuple[str, ...]
    problem: SettingsProblem


@dataclass(slots=True)
class Outcomes:
    """The results for a configuration, in order of precedence."""

    given: list[Given] = field(default_factory=list)
    needed: list[Needed] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


class Matcher:
    """The rows of one file of v4, and their results. `unknown` is the message for any other key."""

    def __init__(self, rows: Iterable[Row], outcomes: Outcomes, unknown: str | None = None) -> None:
        self._unknown = unknown or _UNKNOWN
        self._rows = {row.path: row for row in rows}
        self._order = {path: number for number, path in enumerate(self._rows)}
        self._out = outcomes

    def read(self, tree: Node) -> None:
        """Match all keys of a tree. Later rows of the table win."""
        for path, row, node in sorted(self._matches(tree, ()), key=lambda found: self._order.get(found[0], -1)):
            if row is None:
                self._note(Outcome.IDLE, path, node.place, self._unknown)
            elif row.read is None:
                self._note(Outcome.IDLE, path, node.place, row.why)
            else:
                self._apply(row, path, node)

    def _matches(self, node: Node, path: Path, idle: Row | None = None) -> Iterator[tuple[Path, Row | None, Node]]:
        """Yield matches. `idle` is the nearest row above that explains why a key has no effect. Null values are
        skipped."""
        if isinstance(node, Leaf) and node.value is None:
            return
        row = self._rows.get(path)
        if row is not None and row.read is not None:
            yield path, row, node
            return
        idle = row or idle
        if isinstance(node, Table) and (not path or self._has_below(path)):
            for name, member in node.members.items():
                yield from self._matches(member, (*path, name), idle)
            if node.rest is not None:
                yield from self._behind(node.rest, path, node.members)
        elif isinstance(node, Hole) and (not path or self._has_below(path)):
            yield from self._behind(node, path, ())
        else:
            yield path, idle, node

    def _behind(self, hole: Hole, path: Path, known: Container[str]) -> Iterator[tuple[Path, Row | None, Node]]:
        """Report a hole once, and yield the rows for keys that it may contain, to be closed or required one by one."""
        rows = [row for row in self._below(path) if row.path[len(path)] not in known]
        needed = [setting for row in rows for setting in row.stops]
        message = f"{NOT_EVALUATED}: {hole.what}; {_advice(needed) if needed else 'its settings have no effect'}"
        outcome = Outcome.CLOSED if needed else Outcome.OPEN
        self._note(outcome, path, hole.place, message, setting=needed[0] if needed else "")
        self._need(needed, path, hole.place, message)
        yield from ((row.path, row, hole) for row in rows if row.closed)

    def _has_below(self, path: Path) -> bool:
        return any(True for _ in self._below(path))

    def _below(self, path: Path) -> Iterator[Row]:
        return (row for row in self._rows.values() if row.path[: len(path)] == path and row.path != path)

    def _apply(self, row: Row, path: Path, node: Node) -> None:
        try:
            given = [self._given(reading, node.place) for reading in (row.read or _nothing)(plain(node))]
        except HoleFound as found:
            self._close(row, path, found.hole.place, f"{NOT_EVALUATED}: {found.hole.what}")
        except ValueError as error:
            self._close(row, path, node.place, f"expected {error}")
        else:
            self._out.given += given
            for one in given:
                self._take(path, one, node)
            if not given:
                self._note(Outcome.TAKEN, path, node.place, _NOTHING_NEW)

    def _given(self, reading: Reading, place: Place) -> Given:
        key = KEYS[reading.setting]
        try:
            value = reading.value if reading.inside else key.kind.from_toml(reading.value)
        except ValueError:
            raise ValueError(key.kind.expected) from None
        return Given(key, value, str(place), reading.inside)

    def _take(self, path: Path, given: Given, node: Node) -> None:
        in_code = given.key.row.secret and isinstance(node, Leaf) and node.from_code and bool(node.value)
        unset = node.unset if isinstance(node, Leaf) else None
        self._note(
            Outcome.TAKEN,
            path,
            node.place,
            f"{_IN_CODE}; set {unset or given.key.variable} in .env" if in_code else "",
            setting=".".join((given.key.file, given.key.dotted, *given.inside)),
            value=redacted_value(given.key, given.value),
        )

    def _close(self, row: Row, path: Path, place: Place, message: str) -> None:
        """Handle a key that is not understood: the safest value, no start, or no effect; and what to write instead."""
        advised = f"{message}; {_advice(row.settings)}"
        self._out.given += [self._given(reading, place) for reading in row.closed]
        self._need(row.stops, path, place, advised)
        outcome = Outcome.CLOSED if row.closed or row.stops else Outcome.OPEN
        self._note(outcome, path, place, advised, setting=row.settings[0])

    def _need(self, settings: Iterable[str], path: Path, place: Place, message: str) -> None:
        problem = SettingsProblem(str(place), ".".join(path), message)
        self._out.needed += [Needed(KEYS[setting].attributes, problem) for setting in settings]

    def _note(
        self, outcome: Outcome, path: Path, place: Place, message: str, setting: str = "", value: Any = None
    ) -> None:
        self._out.findings.append(
            Finding(
                outcome=outcome,
                file=place.file,
                line=place.line,
                key=".".join(path),
                setting=setting,
                value=value,
                message=message,
            )
        )


def _advice(settings: Sequence[str]) -> str:
    """Return where to set it instead; for a database as a whole."""
    if all(name.startswith("database.") for name in settings) and len(settings) > 1:
        return HOW_TO_NAME_A_DATABASE
    return ", ".join(dict.fromkeys(advice(KEYS[name]) for name in settings))


def _nothing(value: object) -> list[Reading]:
    return []
