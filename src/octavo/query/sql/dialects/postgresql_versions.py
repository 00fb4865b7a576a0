"""Table versions on PostgreSQL: a statement trigger appends to a ledger; a table's version is the sum of its rows.

The row is written in the writer's transaction, so a snapshot sees it exactly when it sees the change. The sum changes
with each transaction that becomes visible, and with nothing else. A sequence number would not work: it is visible
before the commit, and two writers may commit in a different order than their numbers. Writers never update the same
row, so none waits for another; many rows are folded into one with the same sum.

The catalog shows other changes of rows: a version includes the OIDs of the table and its file, so recreated, rewritten
or truncated tables have different versions. Triggers are `ENABLE ALWAYS`, so they also fire for replication; triggers
that were disabled and enabled again are not trusted. Neither are tables whose rows can come from elsewhere: tables
with partitions or child tables, and tables filled by a subscription (which fires no statement triggers).
"""

from collections.abc import Sequence
from typing import Final

from octavo.query.sql.dialects.quoting import literal, quoted
from octavo.query.sql.dialects.table_versions import NAME

_IN_SCHEMA: Final = "(SELECT oid FROM pg_namespace WHERE nspname = current_schema())"
_FOLLOWED: Final = f"g.tgname = '{NAME}' AND g.tgenabled = 'A'"
_SOUND: Final = "c.relkind = 'r' AND NOT c.relhassubclass AND NOT c.relispartition"
_UNSUBSCRIBED: Final = "NOT IN (SELECT s.srrelid FROM pg_subscription_rel s)"
_TABLES: Final = f"""pg_trigger g CROSS JOIN LATERAL (SELECT c.oid, c.relname, c.relfilenode FROM pg_class c
WHERE c.oid = g.tgrelid AND {_SOUND} AND c.relnamespace = {_IN_SCHEMA} OFFSET 0) c"""
"""Looks up each table by its OID: with OFFSET 0, no plan scans all tables."""
_COUNTED: Final = f"{_FOLLOWED} AND g.tgrelid {_UNSUBSCRIBED}"
_SELF: Final = "hashtextextended(c.relname::text, hashint8extended(c.oid::int8, c.relfilenode::int8))"
"""The table's identity including its name: two tables can swap names."""
_STAMP: Final = f"""
SELECT concat_ws(' ', (SELECT sum(n) FROM {NAME}), count(*), sum({_SELF})) FROM {_TABLES} WHERE {_COUNTED}"""
_LOCK: Final = "hashtext(current_schema()), hashtext('octavo: versions of tables')"
_STEP: Final = "(random() * 1e15)::int8 + (extract(epoch FROM clock_timestamp()) * 1e6)::int8"
"""The increment. Not 1: after lost commits (a failover, or a crash before writing to disk), other commits would
result in the same sum."""


class LedgerVersions:
    """The statements for PostgreSQL (`TableVersions`)."""

    begun = f"SELECT to_regclass('{NAME}') IS NOT NULL"
    stamp = _STAMP
    read = f"""
SELECT ({_STAMP}), json_object_agg(c.relname, concat_ws('.', c.oid, c.relfilenode, v.n))::text
FROM {_TABLES}
JOIN (SELECT relation, sum(n) AS n FROM {NAME} GROUP BY relation) v ON v.relation = c.oid
WHERE {_COUNTED}"""
    found = f"""
SELECT c.relname::text, g.oid IS NOT NULL AND {_SOUND} AND c.oid {_UNSUBSCRIBED}
  AND EXISTS (SELECT 1 FROM {NAME} v WHERE v.relation = c.oid)
FROM pg_class c LEFT JOIN pg_trigger g ON g.tgrelid = c.oid AND {_FOLLOWED}
WHERE c.relkind IN ('r', 'p') AND c.relnamespace = {_IN_SCHEMA} ORDER BY 1"""
    take = f"SELECT pg_try_advisory_lock({_LOCK})"
    functions = f"""CREATE TABLE IF NOT EXISTS {NAME} (relation oid NOT NULL, n numeric NOT NULL);
DO $octavo$ BEGIN EXECUTE format($text$
CREATE OR REPLACE FUNCTION %1$I.{NAME}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $body$
BEGIN INSERT INTO %1$I.{NAME} (relation, n) VALUES (TG_RELID, {_STEP}); RETURN NULL; END
$body$;$text$, current_schema()); END $octavo$"""
    waiting = f"SELECT count(*) - count(DISTINCT relation) FROM {NAME}"
    fold = f"""
WITH many AS (SELECT relation FROM {NAME} GROUP BY relation HAVING count(*) > 1),
gone AS (DELETE FROM {NAME} WHERE relation IN (SELECT relation FROM many) AND (SELECT
  pg_try_advisory_xact_lock(hashtext(current_schema()), hashtext('octavo: folding versions'))) RETURNING relation, n)
INSERT INTO {NAME} (relation, n) SELECT relation, sum(n) FROM gone
WHERE EXISTS (SELECT 1 FROM pg_class c WHERE c.oid = relation) GROUP BY relation"""
    clean = f"VACUUM {NAME}"
    triggers = f"""
SELECT c.relname::text FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid
WHERE g.tgname = '{NAME}' AND c.relnamespace = {_IN_SCHEMA}"""

    def install(self, table: str) -> str:
        name = quoted(table)
        return ";\n".join(
            (
                "BEGIN",
                "SET LOCAL lock_timeout = '1s'",
                f"DROP TRIGGER IF EXISTS {NAME} ON {name}",
                f"CREATE TRIGGER {NAME} AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON {name} FOR EACH STATEMENT"
                f" WHEN (NULL::{NAME} IS NULL) EXECUTE FUNCTION {NAME}()",
                f"ALTER TABLE {name} ENABLE ALWAYS TRIGGER {NAME}",
                f"INSERT INTO {NAME} (relation, n) VALUES ({literal(name)}::regclass, {_STEP})",
                "COMMIT",
            )
        )

    def remove(self, tables: Sequence[str]) -> str:
        dropped = [f"DROP TRIGGER IF EXISTS {NAME} ON {quoted(table)}" for table in tables]
        return ";\n".join((*dropped, f"DROP FUNCTION IF EXISTS {NAME}()", f"DROP TABLE IF EXISTS {NAME}"))
