"""Carrying out the changes of a plan inside of a transaction, with as few statements as the database lets there be."""

from collections.abc import Iterable, Sequence
from functools import partial

from octavo.database.connection import StatementRefused, TransactionConflict
from octavo.database.unit_of_work import UnitOfWork
from octavo.query.plan.changes import Change, RowRef
from octavo.query.sql.statement import Statement
from octavo.query.sql.write.chains import Chains, Step, chainable
from octavo.query.sql.write.change import ChangeCompiler


async def apply_changes(unit: UnitOfWork, compiler: ChangeCompiler, changes: Iterable[Change]) -> None:
    """Carry out changes in order; rows that are inserted are known by their ids from then on.

    Raises TransactionConflict, too, where the database refuses to do at once what it does in turn.
    """
    changes = list(changes)
    if compiler.chains is None or unit.is_large or len(changes) < 2:
        for change in changes:
            making = partial(compiler.steps, change)
            for step in await unit.compute(making) if unit.is_large else making():
                await _run(unit, step.statement, step.refs)
        return
    for group in chainable(compiler.registry, changes):
        steps = [step for change in group.changes for step in compiler.steps(change)]
        joined = compiler.chains.join(steps)
        if joined is not None and joined.is_new:
            if await unit.connection.fetch_row(compiler.chains.guards(group.tables), ()) is None:
                compiler.chains.keep(steps, joined.statement)
            else:
                compiler.chains.refuse(steps)
                joined = None
        if joined is None:
            for step in steps:
                await _run(unit, step.resolved(), step.refs)
        else:
            await _run_joined(unit, compiler.chains, joined.statement, steps)


async def _run_joined(unit: UnitOfWork, chains: Chains, statement: Statement, steps: Sequence[Step]) -> None:
    refs = [ref for step in steps for ref in step.refs]
    try:
        _note(refs, await unit.connection.fetch_row(statement.text, statement.values) or ())
    except StatementRefused as error:  # what a project has made of a table does not let it stand in a WITH
        chains.refuse(steps)
        raise TransactionConflict(str(error)) from error


async def _run(unit: UnitOfWork, statement: Statement, refs: tuple[RowRef, ...]) -> None:
    if refs:
        found = await unit.connection.fetch_all(statement.text, statement.values)
        _note(refs, sorted(row[0] for row in found))
    else:
        await unit.connection.execute(statement.text, statement.values)


def _note(refs: Sequence[RowRef], ids: Iterable[int]) -> None:
    for ref, new_id in zip(refs, ids, strict=True):
        ref.id = int(new_id)
