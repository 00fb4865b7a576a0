"""EntryReader: runs planned reads. A plan is compiled once; every later read of the same shape finds its statement."""

import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from octavo.database.connection import Connection, Database
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
        self._statements: dict[ReadPlan, str] = {}

    def prepare(self, planned: Planned) -> Prepared:
        """Find or compile the statement of a plan."""
        text = self._statements.get(planned.plan)
        if text is None:
            if len(self._statements) >= MAX_STATEMENTS:
                self._statements.pop(next(iter(self._statements)))
            text = self._statements[planned.plan] = self._compile(planned.plan)
        return Prepared(text, planned.values, long=planned.plan.many and not planned.plan.is_cheap)

    async def read_one(self, prepared: Prepared, connection: Connection | None = None) -> bytes | None:
        """The JSON of an entry, or None when there is none."""
        found = await (connection or self.database).fetch_json(prepared.text, prepared.values, long=prepared.long)
        return found if found is None or self._signatures is None else self._signatures.apply(found)

    async def read_list(self, prepared: Prepared) -> tuple[bytes, int | None]:
        """The JSON array of a page, and the total where the plan asks for it."""
        row: Sequence[Any] | None = await self.database.fetch_row(prepared.text, prepared.values, long=prepared.long)
        assert row is not None, "a list statement always answers one row"
        page = row[0] if self._signatures is None else self._signatures.apply(row[0])
        return page, row[1] if len(row) > 1 else None

    def _compile(self, plan: ReadPlan) -> str:
        if self._signatures is None:
            return compile_read(plan, self.registry, self.dialect)
        return compile_marked_read(plan, self.registry, self.dialect, self._signatures.mark)
