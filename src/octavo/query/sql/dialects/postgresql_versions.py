"""Versions of tables on PostgreSQL: a trigger for each statement appends to a ledger; the version is the sum.

The row is written in the writer's transaction, so a snapshot sees it exactly when it sees what was written: the sum
of a table's rows grows with each transaction that becomes visible, and with nothing else. A number that was taken from
a sequence would not do: it is seen before the commit, and two writers may commit against the order of their numbers.
No row is changed by two writers, so none waits for another; many rows are folded into one with the same sum.

What else changes rows is told by the catalogue: a version holds the table's number and that of its file, so tables that
are made anew, rewritten or emptied have others. Triggers are `ENABLE ALWAYS`, so they fire for replicas, too, and one
that somebody has disabled, and enabled again, is no longer counted on. Not counted on either are tables whose rows come
from elsewhere: those with partitions or heirs, and those that a subscription fills (it fires no statement triggers).
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
"""Each table is looked up by its number: with OFFSET 0 no plan walks through all there are."""
_COUNTED: Final = f"{_FOLLOWED} AND g.tgrelid {_UNSUBSCRIBED}"
_SELF: Final = "hashtextextended(c.relname::text, hashint8extended(c.oid::int8, c.relfilenode::int8))"
"""A table as it is, with its name: tables may exchange theirs."""
_STAMP: Final = f"""
SELECT concat_ws(' ', (SELECT sum(n) FROM {NAME}), count(*), sum({_SELF})) FROM {_TABLES} WHERE {_COUNTED}"""
_LOCK: Final = "hashtext(current_schema()), hashtext('octavo: versions of tables')"
_STEP: Final = "(random() * 1e15)::int8 + (extract(epoch FROM clock_timestamp()) * 1e6)::int8"
"""What is added. Not 1: where commits were lost (by a server that took over, or that fell without having written them
to the disk), other ones after it would come to the same sum."""


class LedgerVersions:
    """What is said to PostgreSQL (`TableVersions`)."""

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
