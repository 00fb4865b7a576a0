"""Runs: statements with the positions of their values in one list of inputs, results and constants.

The list is `[inputs ..., results ..., constants ...]`; each statement stores its results in the list.
"""

from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Any, NamedTuple, cast

from octavo.database.connection import IdTaken, IntegrityViolation, StatementRefused, Transaction, UnsuitableValue
from octavo.database.unit_of_work import UnexpectedState
from octavo.query.plan.changes import Change, RowRef, Slot
from octavo.query.sql.dialects.chains import written
from octavo.query.sql.statement import Statement
from octavo.query.sql.write.chains import Step, chainable
from octavo.query.sql.write.change import ChangeCompiler

Pick = Callable[[Sequence[Any]], tuple[Any, ...]]


class _Part(NamedTuple):
    """One statement, the values it binds, and the positions of its numeric results, in one row or in several."""

    text: str
    pick: Pick
    first: int
    last: int
    in_rows: bool


class Runs(NamedTuple):
    """Parts in order. `tail` is appended to the inputs. `obstacles` is the position of the number of violations, if
    checked; `answer` is the position of the response. `is_one`: one statement checks, writes and returns the response;
    it fails if there are obstacles."""

    parts: tuple[_Part, ...]
    tail: tuple[Any, ...]
    obstacles: int | None
    answer: int | None
    is_one: bool

    async def run(self, connection: Transaction, values: list[Any]) -> None:
        """Run all parts. Raises UnexpectedState if the regular path has to report an error."""
        values.extend(self.tail)
        try:
            for text, pick, first, last, in_rows in self.parts:
                if first == last:
                    await connection.execute(text, pick(values))
                elif in_rows:
                    values[first:last] = sorted([row[0] for row in await connection.fetch_all(text, pick(values))])
                else:
                    values[first:last] = await connection.fetch_row(text, pick(values)) or ()
                if first == self.obstacles and values[first]:
                    raise UnexpectedState
        except IdTaken:
            raise
        except (IntegrityViolation, UnsuitableValue, StatementRefused) as error:
            raise UnexpectedState from error


class ResultRow(NamedTuple):
    """The row for the response, and a function that returns the SQL for it from the name of a table with the row."""

    ref: RowRef
    table: str
    text: Callable[[str], str | None]


async def prepare_runs(
    connection: Transaction,
    compiler: ChangeCompiler,
    check: Statement | None,
    changes: Iterable[Change],
    given: int,
    answering: ResultRow | None = None,
) -> Runs:
    """Prepare changes that contain `Slot`s. The database is queried to find out which statements can be joined."""
    changes = list(changes)
    making = _Making(given, sum(len(refs) for refs in map(_refs, changes)) + 2)
    chains = compiler.chains
    if check is not None and chains is not None:
        check = chains.refused(check)
    before = [] if check is None else [Step(check, (making.obstacles,))]
    if chains is None:
        making.one_by_one(before)
        for change in changes:
            making.one_by_one(compiler.steps(change))
        return making.done(check is not None)
    for group in chainable(compiler.registry, changes):
        steps = [*before, *(step for change in group.changes for step in compiler.steps(change))]
        before = []
        if not group.tables or await connection.fetch_row(chains.guards(group.tables), ()) is not None:
            making.one_by_one(steps)
            continue
        if answering is not None and await connection.fetch_row(chains.changed_later(answering.table), ()) is None:
            steps = _answered(steps, answering, making.answer, compiler) or steps
        text = chains.text(steps)
        if text is None:
            making.one_by_one(steps)
        else:
            making.joined(text, steps)
    return making.done(check is not None)


def _answered(steps: Sequence[Step], answering: ResultRow, ref: RowRef, compiler: ChangeCompiler) -> list[Step] | None:
    """Return steps whose last one returns a written row as the response; None if that is not possible."""
    at = next((at for at, step in enumerate(steps) if step.refs == (answering.ref,)), None)
    text = None if at is None else answering.text(written(at))
    end = compiler.dialect.returning("id")
    if at is None or text is None or not steps[at].statement.text.endswith(end):
        return None
    whole = steps[at].statement.text.removesuffix(end) + compiler.dialect.returning("*")
    changed = [*steps, Step(Statement(f"SELECT ({text}) AS id"), (ref,))]
    changed[at] = Step(Statement(whole, steps[at].statement.values), steps[at].refs)
    return changed if compiler.chains is not None and compiler.chains.text(changed) is not None else None


def _refs(change: Change) -> tuple[RowRef, ...]:
    return getattr(change, "refs", ())


class _Making:
    """Builds parts for a number of inputs and results."""

    def __init__(self, given: int, answers: int) -> None:
        self.obstacles = RowRef()
        self.answer = RowRef()
        self._answers = answers
        self._answered = given
        self._constants_at = given + answers
        self._constants: list[Any] = []
        self._places: dict[RowRef, int] = {}
        self._parts: list[_Part] = []

    def joined(self, text: str, steps: Sequence[Step]) -> None:
        """Add steps as one statement; results of one step that another uses are not bound as values."""
        values = [it for step in steps for it in step.statement.values if it.__class__ is not RowRef]
        self._add(text, values, [ref for step in steps for ref in step.refs], in_rows=False)

    def one_by_one(self, steps: Iterable[Step]) -> None:
        for step in steps:
            self._add(step.statement.text, step.statement.values, step.refs, in_rows=True)

    def done(self, checks: bool) -> Runs:
        tail = (*[None] * self._answers, *self._constants)
        obstacles = self._places[self.obstacles] if checks else None
        answer = self._places.get(self.answer)
        return Runs(tuple(self._parts), tail, obstacles, answer, answer is not None and len(self._parts) == 1)

    def _add(self, text: str, values: Sequence[Any], refs: Sequence[RowRef], *, in_rows: bool) -> None:
        pick = picking([self._place(value) for value in values])
        first = self._answered
        for at, ref in enumerate(refs, start=first):
            self._places[ref] = at
            ref.id = cast(int, Slot(at))  # for later statements
        self._answered += len(refs)
        self._parts.append(_Part(text, pick, first, self._answered, in_rows))

    def _place(self, value: Any) -> int:
        if isinstance(value, Slot):
            return value.at
        if isinstance(value, RowRef):
            return self._places[value]
        self._constants.append(value)
        return self._constants_at + len(self._constants) - 1


def picking(places: Sequence[int]) -> Pick:
    """Return a function that selects the values at some positions."""
    if len(places) > 1:
        return itemgetter(*places)
    if not places:
        return lambda values: ()
    only = places[0]
    return lambda values: (values[only],)
