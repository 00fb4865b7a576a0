"""The core store and the webhooks as lines of an archive."""

from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, Final

import orjson

from octavo.database.connection import Connection
from octavo.operations.transfer.archive.records import CORE_STORE, WEBHOOK
from octavo.operations.transfer.entries.json_values import to_json
from octavo.operations.transfer.rows.tables import ID, RowTable, read_batches
from octavo.query.sql.dialects.base import Dialect
from octavo.schema.scalar_types import ValueKind

STORE_TABLE: Final = RowTable(
    "strapi_core_store_settings",
    {
        ID: ValueKind.INTEGER,
        "key": ValueKind.STRING,
        "value": ValueKind.TEXT,
        "type": ValueKind.STRING,
        "environment": ValueKind.STRING,
        "tag": ValueKind.STRING,
    },
)
WEBHOOK_TABLE: Final = RowTable(
    "strapi_webhooks",
    {
        ID: ValueKind.INTEGER,
        "name": ValueKind.STRING,
        "url": ValueKind.TEXT,
        "headers": ValueKind.JSON,
        "events": ValueKind.JSON,
        "enabled": ValueKind.BOOLEAN,
    },
)


async def configuration_lines(connection: Connection, dialect: Dialect) -> AsyncIterator[dict[str, Any]]:
    """Yield all settings and webhooks."""
    async for value in _rows(connection, dialect, STORE_TABLE, {"value": _stored_value}):
        yield {"type": CORE_STORE, "value": value}
    async for value in _rows(connection, dialect, WEBHOOK_TABLE, {}):
        yield {"type": WEBHOOK, "value": value}


async def _rows(
    connection: Connection, dialect: Dialect, table: RowTable, others: Mapping[str, Callable[[Any], Any]]
) -> AsyncIterator[dict[str, Any]]:
    async for rows in read_batches(connection, dialect, table):
        for row in rows:
            yield {
                name: others[name](value) if name in others else to_json(kind, value)
                for (name, kind), value in zip(table.columns.items(), row, strict=True)
            }


def _stored_value(text: str | None) -> Any:
    """Return the stored text of a value. Values of any type are stored as JSON."""
    if text is None:
        return None
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    return orjson.Fragment(text)
