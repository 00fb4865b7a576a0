"""EntryReader: runs planned reads. A plan is compiled once; every later read of the same shape finds its statement."""

import re
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from octavo.content.large_reads import PATIENCE_SECONDS, Lane, too_large, too_long
from octavo.database.connection import AnswerTooLarge, Connection, Database, StatementTimeout
from octavo.plan.nesting import FLAT, Nesting, nesting
from octavo.plan.nodes import ReadPlan
from octavo.plan.read import Planned
from octavo.schema.registry import Registry
from octavo.sql.dialect import Dialect
from octavo.sql.postgresql import PostgreSQLDialect
from octavo.sql.select import compile_read
from octavo.sql.select_marked import compile_marked_read
from octavo.sql.sqlite import SQLiteDialect

DIALECTS: dict[str, Dialect] = {dialect.name: dialect for dialect in (SQLiteDialect(), PostgreSQLDialect())}
MAX_STATEMENTS = 4096


@dataclass(frozen=True, slots=True)
class Prepared:
    """A read ready to run: the statement's text and its values. `long`: it may take long, keep it out of the loop."""

    text: str
    values: tuple[Any, ...]
    long: bool
    nesting: Nesting = FLAT


@dataclass(frozen=True, slots=True)
class _Statement:
    """What is known of a plan: the text, whether it may take long, how its lists lie in one another."""

    text: str
    long: bool
    nesting: Nesting


class Signatures:
    """Signs the addresses of files in answers, where the storage is private. `sign` gives the signed form of one."""

    def __init__(self, sign: Callable[[str], str]) -> None:
        self.mark = f"{secrets.token_hex(12)}:"
        self._sign = sign
        self._marked = re.compile(rb'%b([^"\\]*)' % self.mark.encode())

    def apply(self, answer: bytes) -> bytes:
        """The answer with every marked address signed."""
        return self._marked.sub(lambda found: self._sign(found[1].decode()).encode(), answer)


class EntryReader:
    """Reads entries as JSON that the database has built."""

    def __init__(self, database: Database, registry: Registry, signatures: Signatures | None = None) -> None:
        self.database = database
        self.registry = registry
        self.dialect = DIALECTS[database.dialect]
        self._signatures = signatures
        self._statements: dict[ReadPlan, _Statement] = {}
        self._large = Lane(database.large_reads, PATIENCE_SECONDS)

    def prepare(self, planned: Planned) -> Prepared:
        """Find or compile the statement of a plan."""
        statement = self._statements.get(planned.plan)
        if statement is None:
            if len(self._statements) >= MAX_STATEMENTS:
                self._statements.pop(next(iter(self._statements)))
            statement = self._statements[planned.plan] = self._compile(planned.plan)
        return Prepared(statement.text, planned.values, statement.long, statement.nesting)

    async def read_one(self, prepared: Prepared, connection: Connection | None = None) -> bytes | None:
        """The JSON of an entry, or None when there is none. Raises ValidationError when it would be too large.

        Inside a transaction, whose connection is there already, nobody waits in the lane of large reads.
        """
        found: bytes | None = await self._run((connection or self.database).fetch_json, prepared, connection is None)
        return found if found is None or self._signatures is None else self._signatures.apply(found)

    async def read_list(self, prepared: Prepared) -> tuple[bytes, int | None]:
        """The JSON array of a page, and the total where the plan asks for it. Raises ValidationError as `read_one`."""
        row: Sequence[Any] | None = await self._run(self.database.fetch_row, prepared, True)
        assert row is not None, "a list statement always answers one row"
        page = row[0] if self._signatures is None else self._signatures.apply(row[0])
        return page, row[1] if len(row) > 1 else None

    def check_size(self, size: int) -> None:
        """Refuse what several reads have answered together, like what one answers. Raises ValidationError."""
        if size > self.database.largest_answer:
            raise too_large(self.database.largest_answer, FLAT)

    async def _run(self, fetch: Callable[..., Awaitable[Any]], prepared: Prepared, waits: bool) -> Any:
        is_large = prepared.nesting.is_large
        try:
            if not (is_large and waits):
                return await fetch(prepared.text, prepared.values, long=prepared.long)
            async with self._large:
                return await fetch(prepared.text, prepared.values, long=prepared.long)
        except AnswerTooLarge as error:
            raise too_large(self.database.largest_answer, prepared.nesting) from error
        except StatementTimeout as error:
            if is_large:
                raise too_long(prepared.nesting) from error
            raise

    def _compile(self, plan: ReadPlan) -> _Statement:
        arguments = plan, self.registry, self.dialect, self.database.largest_answer
        marked = self._signatures
        text = compile_read(*arguments) if marked is None else compile_marked_read(*arguments, marked.mark)
        found = nesting(plan)
        return _Statement(text, found.is_large or not plan.is_cheap, found)
