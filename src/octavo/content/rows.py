"""read_rows: runs a read of rows."""

from typing import Any

import orjson

from octavo.content.read_limiter import too_large
from octavo.database.connection import AnswerTooLarge, Database
from octavo.query.plan.nesting import FLAT
from octavo.query.plan.rows import RowsQuery, plan_rows
from octavo.query.sql.read.rows import compile_rows
from octavo.schema.registry import Registry


async def read_rows(database: Database, registry: Registry, query: RowsQuery) -> list[dict[str, Any]]:
    """The rows that are asked for. Raises ValidationError, also for more than an answer may hold."""
    plan, values = plan_rows(query, registry)
    text = compile_rows(plan, registry, database.dialect, database.largest_answer)
    try:
        found = await database.fetch_json(text, values, long=True)
    except AnswerTooLarge as error:
        raise too_large(database.largest_answer, FLAT) from error
    rows: list[dict[str, Any]] = orjson.loads(found or b"[]")
    return rows
