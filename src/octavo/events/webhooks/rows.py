"""Webhooks in the database: v4's table, and a separate one for options that v4 does not have."""

from collections.abc import Mapping
from typing import Any, Final

import orjson

from octavo.database.connection import Connection, Row
from octavo.events.webhooks.webhook import Webhook
from octavo.query.sql.ddl.tables import SystemTable
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.raw_statement import RawStatement
from octavo.schema.scalar_types import ValueKind
from octavo.settings.accepted_keys import ACCEPTED_KEYS

TABLE: Final = SystemTable(
    "octavo_webhooks",
    (
        "webhook_id integer PRIMARY KEY NOT NULL",
        "secret varchar(255)",
        "types text NOT NULL",
        "locales text NOT NULL",
        "populate text NOT NULL",
        "failures integer NOT NULL",
        "disabled_because text",
    ),
)

_ALL: Final = """
SELECT w.id, w.name, w.url, w.headers, w.events, w.enabled, o.secret, o.types, o.locales, o.populate, o.failures,
  o.disabled_because
FROM strapi_webhooks w LEFT JOIN octavo_webhooks o ON o.webhook_id = w.id ORDER BY w.id"""
_INSERT: Final = RawStatement("""
INSERT INTO strapi_webhooks (name, url, headers, events, enabled)
VALUES ({name}, {url}, {headers}, {events}, {enabled}) {id:returning}""")
_UPDATE: Final = RawStatement("""
UPDATE strapi_webhooks SET name = {name}, url = {url}, headers = {headers}, events = {events}, enabled = {enabled}
WHERE id = {id}""")
_FORGET: Final = RawStatement("DELETE FROM octavo_webhooks WHERE webhook_id = {id}")
_KEEP: Final = RawStatement("""
INSERT INTO octavo_webhooks (webhook_id, secret, types, locales, populate, failures, disabled_because)
VALUES ({id}, {secret}, {types}, {locales}, {populate}, {failures}, {disabled_because})""")
_DELETE: Final = RawStatement("DELETE FROM strapi_webhooks WHERE id = {id}")


async def read_all(connection: Connection) -> tuple[Webhook, ...]:
    """Return all webhooks, by id."""
    return tuple(_webhook(row) for row in await connection.fetch_all(_ALL))


async def insert(connection: Connection, dialect: Dialect, values: Mapping[str, Any]) -> int:
    """Insert a row of v4's table, and return its id."""
    return int(await connection.fetch_value(*_INSERT.bind(dialect, **_v4_values(values, dialect))))


async def update(connection: Connection, dialect: Dialect, webhook: Webhook) -> None:
    """Update the row of v4's table."""
    values = {name: getattr(webhook, name) for name in ("name", "url", "headers", "events", "enabled")}
    await connection.execute(*_UPDATE.bind(dialect, id=webhook.id, **_v4_values(values, dialect)))


async def keep_options(connection: Connection, dialect: Dialect, webhook: Webhook) -> None:
    """Store the options that v4 does not have."""
    await connection.execute(*_FORGET.bind(dialect, id=webhook.id))
    options = _KEEP.bind(
        dialect,
        id=webhook.id,
        secret=_stored(webhook),
        types=_json(webhook.types),
        locales=_json(webhook.locales),
        populate=_json(webhook.populate),
        failures=webhook.failures,
        disabled_because=webhook.disabled_because,
    )
    await connection.execute(*options)


async def delete(connection: Connection, dialect: Dialect, webhook_id: int) -> None:
    """Delete both rows."""
    await connection.execute(*_FORGET.bind(dialect, id=webhook_id))
    await connection.execute(*_DELETE.bind(dialect, id=webhook_id))


def _v4_values(values: Mapping[str, Any], dialect: Dialect) -> dict[str, Any]:
    enabled = dialect.bind(ValueKind.BOOLEAN, values["enabled"])
    return {**values, "headers": _json(values["headers"]), "events": _json(values["events"]), "enabled": enabled}


def _webhook(row: Row) -> Webhook:
    """Return a webhook; in rows written by v4, any value may be missing."""
    webhook_id, name, url, headers, events, enabled, secret, types, locales, populate, failures, because = row
    given = _parsed(headers)
    newest, _, former = (secret or "").partition(" ")
    return Webhook(
        id=int(webhook_id),
        name=name or "",
        url=url or "",
        headers={str(key): str(value) for key, value in given.items()} if isinstance(given, dict) else {},
        events=_texts(events),
        enabled=bool(enabled),
        secret=newest or None,
        types=_texts(types),
        locales=_texts(locales),
        populate=_parsed(populate),
        failures=failures or 0,
        disabled_because=because,
        former=next(iter(ACCEPTED_KEYS.from_toml([former])), None) if former else None,
    )


def _stored(webhook: Webhook) -> str | None:
    """Return the secret, and the previous one if there is one, as one text."""
    if webhook.secret is None or webhook.former is None:
        return webhook.secret
    return f"{webhook.secret} {webhook.former}"


def _texts(text: str | None) -> tuple[str, ...]:
    value = _parsed(text)
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def _parsed(text: str | None) -> Any:
    if text is None:
        return None
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()
