"""v4's core store, `app.store` in a project's code: small values by key in `strapi_core_store_settings`."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import orjson

from octavo.content.writer import EntryWriter
from octavo.database.connection import Database
from octavo.database.unit_of_work import UnitOfWork
from octavo.query.sql.raw_statement import RawStatement

_WHERE: Final = "WHERE {key:name} = {key} AND environment IS NULL AND tag IS NULL"
_GET: Final = RawStatement(f"SELECT value, type FROM strapi_core_store_settings {_WHERE} ORDER BY id LIMIT 1")  # noqa: S608
_ALL: Final = RawStatement(
    "SELECT {key:name}, value FROM strapi_core_store_settings WHERE {key:name} LIKE {pattern} ORDER BY id DESC"
)
_CHANGE: Final = RawStatement(f"UPDATE strapi_core_store_settings SET value = {{value}}, type = {{type}} {_WHERE}")  # noqa: S608
_ADD: Final = RawStatement(
    "INSERT INTO strapi_core_store_settings ({key:name}, value, type) VALUES ({key}, {value}, {type})"
)
_DELETE: Final = RawStatement(f"DELETE FROM strapi_core_store_settings {_WHERE}")  # noqa: S608


class CoreStore:
    """A key-value store of one owner in the database, in the same table as v4's `strapi.store({ type, name })`."""

    def __init__(self, writer: EntryWriter, type: str, name: str) -> None:
        self._writer = writer
        self._database = writer.database
        self._prefix = f"{type}_{name}_" if name else f"{type}_"

    async def get(self, key: str, default: Any = None) -> Any:
        """Return the value of a key, or the default."""
        return await stored_value(self._database, self._prefix + key, default)

    async def all(self, beginning: str) -> dict[str, Any]:
        """Return the values of all keys with this prefix."""
        prefix = self._prefix + beginning
        rows = await self._database.fetch_all(*_ALL.bind(self._database.dialect, pattern=f"{prefix}%"))
        start = len(self._prefix)
        return {key[start:]: _read(value) for key, value in rows if value is not None and key.startswith(prefix)}

    async def set(self, key: str, value: Any) -> None:
        """Store a JSON value. Raises TypeError for other values."""
        _write(value)
        await self.change(key, lambda _: value)

    async def change(self, key: str, work: Callable[[Any], Any]) -> None:
        """Store the JSON value that `work` returns for the stored one (None: missing), in one locked transaction.

        `work` can run again if the transaction is retried. Raises TypeError for other values.
        """
        name, dialect = self._prefix + key, self._database.dialect

        async def change(unit: UnitOfWork) -> None:
            await unit.connection.lock(f"octavo: store {name}")
            value = work(_value_of(await unit.connection.fetch_row(*_GET.bind(dialect, key=name))))
            given = {"key": name, "value": _write(value), "type": _type_of(value)}
            if not await unit.connection.execute(*_CHANGE.bind(dialect, **given)):
                await unit.connection.execute(*_ADD.bind(dialect, **given))

        await self._writer.run(change)

    async def delete(self, key: str) -> None:
        """Remove a key, if it exists."""
        deleting = _DELETE.bind(self._database.dialect, key=self._prefix + key)
        await self._writer.run(lambda unit: unit.connection.execute(*deleting))


async def stored_value(database: Database, key: str, default: Any = None) -> Any:
    """Return the value of a whole key, or the default."""
    return _value_of(await database.fetch_row(*_GET.bind(database.dialect, key=key)), default)


def _value_of(row: Sequence[Any] | None, default: Any = None) -> Any:
    return default if row is None or row[0] is None else _read(row[0])


def _read(text: str) -> Any:
    """Parse a value as v4 writes it: JSON or, in old versions, plain text."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


def _write(value: Any) -> str:
    try:
        return orjson.dumps(value).decode()
    except orjson.JSONEncodeError as error:
        raise TypeError(f"the store only accepts JSON values: {error}") from error


def _type_of(value: Any) -> str:
    """Return v4's name for the type of a value."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return "string" if isinstance(value, str) else "object"
