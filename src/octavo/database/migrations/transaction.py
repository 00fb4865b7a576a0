"""The transaction passed to Python migrations. Its statements work on any database."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from octavo.database.connection import Row, Transaction
from octavo.database.synchronize import found_tables
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.raw_statement import RawStatement
from octavo.query.sql.script import ScriptStatement, statements_of

_CONTROL: Final = frozenset({"BEGIN", "START", "COMMIT", "END", "ROLLBACK", "ABORT", "SAVEPOINT", "RELEASE"})


class MigrationTransaction:
    """The transaction of one migration. `said` collects the text of every statement.

    Values are written in braces and passed by name, so that a statement works on every database:
    `await transaction.execute("UPDATE talks SET level = {level} WHERE level IS NULL", level=1)`. Literal braces are
    doubled. If a statement fails, the migration fails.
    """

    def __init__(self, connection: Transaction, dialect: Dialect) -> None:
        self.connection = connection
        self.dialect = dialect
        self.said: list[str] = []

    async def execute(self, text: str, /, **values: Any) -> int:
        """Run one statement that returns no rows, and return how many rows it changed."""
        return await self.connection.execute(*self._say(text, values))

    async def fetch_all(self, text: str, /, **values: Any) -> Sequence[Row]:
        """Return all rows of a statement, each a sequence of values."""
        return await self.connection.fetch_all(*self._say(text, values))

    async def fetch_row(self, text: str, /, **values: Any) -> Row | None:
        """Return the first row, or None."""
        return await self.connection.fetch_row(*self._say(text, values))

    async def fetch_value(self, text: str, /, **values: Any) -> Any:
        """Return the first column of the first row, or None."""
        return await self.connection.fetch_value(*self._say(text, values))

    async def run_script(self, script: str) -> None:
        """Run several statements, separated by semicolons, unchanged."""
        for statement in statements_of(script, self.dialect.script):
            await self.run(statement)

    async def run(self, statement: ScriptStatement) -> None:
        """Run one statement unchanged."""
        refuse_control(statement.first_word)
        self.said.append(statement.text)
        await self.connection.execute_script(statement.text)

    async def run_all(self, statements: Iterable[str]) -> None:
        """Run the dialect's statements unchanged."""
        for text in statements:
            self.said.append(text)
            await self.connection.execute_script(text)

    async def has_table(self, table: str) -> bool:
        """Return whether a table exists."""
        return table in await found_tables(self.connection, self.dialect)

    async def has_column(self, table: str, column: str) -> bool:
        """Return whether a table exists and has the column."""
        description = (await found_tables(self.connection, self.dialect)).get(table)
        return description is not None and any(each.name == column for each in description.columns)

    def _say(self, text: str, values: dict[str, Any]) -> tuple[str, tuple[Any, ...]]:
        for part in statements_of(text, self.dialect.script):
            refuse_control(part.first_word)
        statement = RawStatement(text).bind(self.dialect, **values)
        comment = f"  -- {', '.join(map(repr, statement[1]))}" if statement[1] else ""
        self.said.append(f"{statement[0]}{comment}")
        return statement[0], statement[1]


def refuse_control(word: str) -> None:
    """Raise an error for statements that would end the migration's transaction."""
    if word in _CONTROL:
        raise ValueError(f"{word} is not allowed in migrations: Octavo runs each migration in its own transaction")
