"""Settings and webhooks of an archive to rows. They get new ids: nothing refers to them."""

from typing import Any

import orjson

from octavo.operations.transfer.archive.reader import Place
from octavo.operations.transfer.archive.records import CORE_STORE, ConfigurationRecord
from octavo.operations.transfer.entries.json_values import from_json
from octavo.operations.transfer.exporting.configuration import STORE_TABLE, WEBHOOK_TABLE
from octavo.operations.transfer.importing.pending_rows import PendingRows
from octavo.operations.transfer.rows.tables import ID


def add_configuration(pending: PendingRows, place: Place, record: ConfigurationRecord) -> None:
    """One setting, or one webhook. Raises TransferError."""
    source = STORE_TABLE if record.type == CORE_STORE else WEBHOOK_TABLE
    table = source.with_columns([name for name in source.columns if name != ID])
    values: list[Any] = []
    for name, kind in table.columns.items():
        value = record.value.get(name)
        if source is STORE_TABLE and name == "value" and value is not None:
            value = orjson.dumps(value).decode()
        try:
            values.append(from_json(kind, value))
        except ValueError as error:
            raise place.refusal(f"{name} {error}") from error
    pending.add(table, values, place)
