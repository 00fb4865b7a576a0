"""Maintained counts on PostgreSQL: statement triggers append the changes of each statement; reading sums them up.

Writers never update the same row, so none waits for another. Each transaction makes its rows and its counts visible
at once, so the difference between counting and the sum is the same in every snapshot. One count taken while others
write is therefore enough to correct the sum. TRUNCATE, which ignores snapshots, marks the table as not known.

Triggers are `ENABLE ALWAYS`, so they also fire for replication. If all triggers of a table are disabled and enabled,
they are no longer `ALWAYS`, which shows that rows may have been missed. The triggers depend on the table of counts, so
it cannot be dropped while writes need it. They look up columns by name, so columns can be dropped freely.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from octavo.query.sql.ddl.tables import SystemTable
from octavo.query.sql.dialects.maintained_counts import (
    LEAST_ID,
    PART_BITS,
    PREFIX,
    WAITING,
    CountedTable,
    MaintainedCounts,
    RequestedCount,
)
from octavo.query.sql.dialects.quoting import literal, quoted

_IN_SCHEMA: Final = "(SELECT oid FROM pg_namespace WHERE nspname = current_schema())"
_OURS: Final = f"starts_with(g.tgname, '{PREFIX}_')"
_RECENT: Final = "(pg_catalog.now() AT TIME ZONE 'UTC') - interval '1 hour'"
"""Entries with a later publication date than this may be in the future by another machine's clock."""
_LOCK: Final = "pg_advisory_xact_lock(hashtext(current_schema()), hashtext('octavo: totals'))"
_GROUP: Final = "concat_ws(' ', k.relation, k.part, k.published, k.locale IS NULL, k.locale)"
"""A text that is equal for all rows to be folded into one."""
_KINDS: Final = ("plain", "drafts", "locales", "both")


def _rows(source: str, kind: str, number: str) -> str:
    """Return the counts of a transition table's rows. A missing column is NULL, because the name of the outer query
    applies then."""
    locale = f"(SELECT locale FROM (SELECT {source}.*) x)::text" if kind in ("locales", "both") else "NULL::text"
    published = (
        f"(SELECT published_at FROM (SELECT {source}.*) x)::timestamp"
        if kind in ("drafts", "both")
        else "NULL::timestamp"
    )
    return (
        f"SELECT {locale} AS locale, {published} AS published_at, {source}.id >> {PART_BITS} AS part, {number} AS n"
        f" FROM {source}"
        " CROSS JOIN (SELECT NULL::text AS locale, NULL::timestamp AS published_at) missing"
    )


def _append(rows: str, having: str = "") -> str:
    return (
        f"INSERT INTO %1$I.{PREFIX} (relation, locale, published, part, total, latest)"
        " SELECT TG_RELID, e.locale, e.published_at IS NOT NULL, e.part, sum(e.n),"
        f" max(e.published_at) FILTER (WHERE e.n > 0) FROM ({rows}) e GROUP BY 2, 3, 4{having};"
    )


def _branches(statements: Mapping[str, str]) -> str:
    parts = " ELSIF ".join(f"TG_ARGV[0] = '{kind}' THEN {text}" for kind, text in statements.items())
    return f"IF {parts} END IF;"


def _update(kind: str) -> str:
    """Return the trigger for updates. Most change no count: if all old and new rows are of one kind, nothing is
    summed."""
    both = f"{_rows('octavo_new', kind, '1')} UNION ALL {_rows('octavo_old', kind, '-1')}"
    sign = (
        f"concat(coalesce(e.published_at > {_RECENT}, false), e.published_at IS NULL, e.locale IS NULL,"
        " e.part, ' ', e.locale)"
        ' COLLATE "C"'
    )
    changes = f"(SELECT min({sign}) <> max({sign}) OR starts_with(min({sign}), 't') FROM ({both}) e)"
    having = f" HAVING sum(e.n) <> 0 OR max(e.published_at) FILTER (WHERE e.n > 0) > {_RECENT}"
    return f"IF {changes} THEN {_append(both, having)} END IF;"


_BODIES: Final[Mapping[str, str]] = {
    "insert": _branches({kind: _append(_rows("octavo_new", kind, "1")) for kind in _KINDS}),
    "delete": _branches({kind: _append(_rows("octavo_old", kind, "-1")) for kind in _KINDS}),
    "update": _branches({kind: _update(kind) for kind in _KINDS}),
    "truncate": f"INSERT INTO %1$I.{PREFIX} (relation, total, known) VALUES (TG_RELID, 0, 0);",
}
_SOURCES: Final = {event: f"BEGIN {body} RETURN NULL; END" for event, body in _BODIES.items()}
_EVENTS: Final = {
    "insert": "AFTER INSERT ON {} REFERENCING NEW TABLE AS octavo_new",
    "update": "AFTER UPDATE ON {} REFERENCING OLD TABLE AS octavo_old NEW TABLE AS octavo_new",
    "delete": "AFTER DELETE ON {} REFERENCING OLD TABLE AS octavo_old",
    "truncate": "AFTER TRUNCATE ON {}",
}


def _functions() -> str:
    """Return the script of the trigger functions. They are SECURITY DEFINER: writers need no permission on the
    counts."""
    made = " ".join(
        f"CREATE OR REPLACE FUNCTION %1$I.{PREFIX}_{event}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER"
        f" SET search_path = pg_catalog, pg_temp AS $body${source}$body$;"
        for event, source in _SOURCES.items()
    )
    return f"DO $octavo$ BEGIN EXECUTE format($text${made}$text$, current_schema()); END $octavo$"


def _has_functions() -> str:
    sources = ", ".join(f"($text${source}$text$)" for source in _SOURCES.values())
    return (
        f"SELECT count(*) = {len(_SOURCES)} FROM pg_proc p JOIN (VALUES {sources}) w(source)"
        f" ON p.prosrc = format(w.source, current_schema()) WHERE p.pronamespace = {_IN_SCHEMA}"
        f" AND starts_with(p.proname, '{PREFIX}_')"
    )


class CountJournal(MaintainedCounts):
    """Rows of `octavo_totals` hold the changes of a statement, or of many (`known` is NULL); that a table was counted
    (1); or that it has to be recounted (0). `latest`: the latest publication date in the row."""

    tables = (
        SystemTable(
            PREFIX,
            (
                "relation oid NOT NULL",
                "locale text",
                "published boolean",
                "part bigint",
                "total bigint NOT NULL",
                "latest timestamp",
                "known smallint",
            ),
        ),
    )
    begun = f"SELECT 1 FROM {PREFIX} LIMIT 1"
    known = (
        f"SELECT c.relname::text, true FROM {PREFIX} k JOIN pg_class c ON c.oid = k.relation"
        f" WHERE k.known IS NOT NULL AND c.relnamespace = {_IN_SCHEMA} GROUP BY c.relname HAVING min(k.known) = 1"
    )
    triggers = (
        "SELECT c.relname::text, g.tgname::text, g.tgenabled::text FROM pg_trigger g JOIN pg_class c"
        f" ON c.oid = g.tgrelid WHERE {_OURS} AND c.relnamespace = {_IN_SCHEMA}"
    )
    look = (
        f"SELECT 'begun', NULL::text, NULL::text, NULL::text WHERE EXISTS ({begun})"
        f" UNION ALL SELECT 'known', k.relname, NULL, NULL FROM ({known}) k"
        f" UNION ALL SELECT 'trigger', t.relname, t.tgname, t.tgenabled FROM ({triggers}) t"
        f" UNION ALL SELECT 'waiting', NULL, NULL, ({WAITING})::text"
    )
    fold = f"""
WITH many AS (SELECT {_GROUP} AS place FROM {PREFIX} k WHERE known IS NULL GROUP BY 1 HAVING count(*) > 1),
gone AS (DELETE FROM {PREFIX} k WHERE known IS NULL AND {_GROUP} IN (SELECT place FROM many) AND (SELECT
  pg_try_advisory_xact_lock(hashtext(current_schema()), hashtext('octavo: folding totals')))
  RETURNING relation, locale, published, part, total, latest)
INSERT INTO {PREFIX} (relation, locale, published, part, total, latest)
SELECT relation, locale, published, part, sum(total), CASE WHEN max(latest) > {_RECENT} THEN max(latest) END
FROM gone GROUP BY 1, 2, 3, 4 HAVING sum(total) <> 0 OR max(latest) > {_RECENT}"""
    take = "SELECT pg_try_advisory_lock(hashtext(current_schema()), hashtext('octavo: counting totals'))"
    clean = f"VACUUM {PREFIX}"
    functions = _functions()
    has_functions = _has_functions()

    def total(self, asked: RequestedCount) -> str:
        conditions = _conditions(asked)
        those = f" FILTER (WHERE {' AND '.join(conditions)})" if conditions else ""
        later = f" - CASE WHEN max(k.latest) > {asked.now} THEN ({asked.later}) ELSE 0 END" if asked.now else ""
        return (
            f"SELECT CASE WHEN {self._is_known(asked)} THEN coalesce(sum(k.total){those}, 0)::int8{later}"
            f" ELSE ({asked.count}) END FROM {PREFIX} k WHERE k.relation = {_relation(asked.table)}"
        )

    def _is_known(self, asked: RequestedCount) -> str:
        """Return the condition that the sum of the rows `k` of a table is valid."""
        names = ", ".join(f"'{name}'" for name in self.wanted(asked.table))
        recent = f" AND {asked.now} > {_RECENT}" if asked.now else ""
        enabled = (
            f"(SELECT count(*) FROM pg_catalog.pg_trigger g WHERE g.tgrelid = {_relation(asked.table)}"
            f" AND g.tgname IN ({names}) AND g.tgenabled = 'A')"
        )
        return f"min(k.known) = 1{recent} AND {enabled} = {len(_EVENTS)}"

    def start(self, asked: RequestedCount, skipped: str) -> str:
        relation = _relation(asked.table)
        later = f" AND (max(k.latest) > {asked.now}) IS NOT TRUE" if asked.now else ""
        known = f"(SELECT {self._is_known(asked)}{later} FROM {PREFIX} k WHERE k.relation = {relation})"
        where = " AND ".join((f"k.relation = {relation}", "k.known IS NULL", *_conditions(asked)))
        return (
            f"SELECT coalesce(max(w.part) << {PART_BITS}, {LEAST_ID}) AS first, coalesce(max(w.before), 0)::int8"
            " AS before FROM (SELECT p.part, sum(p.n) OVER (ORDER BY p.part) - p.n AS before FROM"
            f" (SELECT k.part, sum(k.total) AS n FROM {PREFIX} k WHERE {where} GROUP BY k.part) p) w"
            f" WHERE w.before <= {skipped} AND {known}"
        )

    def wanted(self, table: CountedTable) -> Mapping[str, str]:
        return {f"{PREFIX}_{event}_{table.kind}": "A" for event in _EVENTS}

    def install(self, table: CountedTable, others: Sequence[str]) -> str:
        name = quoted(table.name)
        made = [f"DROP TRIGGER IF EXISTS {quoted(other)} ON {name}" for other in others]
        for event, what in _EVENTS.items():
            trigger = f"{PREFIX}_{event}_{table.kind}"
            made += [
                f"CREATE TRIGGER {trigger} {what.format(name)} FOR EACH STATEMENT WHEN (NULL::{PREFIX} IS NULL)"
                f" EXECUTE FUNCTION {PREFIX}_{event}('{table.kind}')",
                f"ALTER TABLE {name} ENABLE ALWAYS TRIGGER {trigger}",
            ]
        return ";\n".join(("BEGIN", "SET LOCAL lock_timeout = '1s'", *made, self.forget(table), "COMMIT"))

    def remove(self, triggers: Sequence[tuple[str, str]]) -> str:
        dropped = [f"DROP TRIGGER IF EXISTS {quoted(name)} ON {quoted(table)}" for table, name in triggers]
        functions = [f"DROP FUNCTION IF EXISTS {PREFIX}_{event}()" for event in _EVENTS]
        return ";\n".join((*dropped, *functions, f"DELETE FROM {PREFIX}"))

    def recount(self, table: CountedTable) -> str:
        relation = _relation(table)
        return f"""
BEGIN;
SELECT {_LOCK};
WITH gone AS (DELETE FROM {PREFIX} WHERE relation = {relation} AND known IS NOT NULL)
INSERT INTO {PREFIX} (relation, locale, published, part, total, latest, known)
SELECT {relation}, locale, published, part, total, latest, NULL FROM ({_compared(table)}) d
UNION ALL SELECT {relation}, NULL, NULL, NULL, 0, NULL, 1;
COMMIT"""

    def confirm(self, table: CountedTable) -> str:
        return ""

    def forget(self, table: CountedTable) -> str:
        return f"INSERT INTO {PREFIX} (relation, total, known) VALUES ({_relation(table)}, 0, 0)"

    def differences(self, table: CountedTable) -> str:
        known = f"(SELECT min(known) = 1 FROM {PREFIX} WHERE relation = {_relation(table)})"
        return f"SELECT 1 FROM ({_compared(table)}) d WHERE d.total <> 0 AND {known} LIMIT 1"


def _conditions(asked: RequestedCount) -> list[str]:
    conditions = [] if asked.published is None else ["k.published" if asked.published else "NOT k.published"]
    if asked.locales is not None:
        conditions.append(f"k.locale IN ({', '.join(asked.locales)})")
    return conditions


def _compared(table: CountedTable) -> str:
    """Return the SELECT of the corrections for each locale, state and id range."""
    locale = "locale::text" if table.localized else "NULL::text"
    published, latest = (
        ("published_at IS NOT NULL", "max(published_at)") if table.drafts else ("false", "NULL::timestamp")
    )
    return (
        f"SELECT locale, published, part, sum(total) AS total, max(latest) AS latest FROM (SELECT {locale} AS locale,"
        f" {published} AS published, id >> {PART_BITS} AS part, count(*) AS total, {latest} AS latest"
        f" FROM {quoted(table.name)} GROUP BY 1, 2, 3 UNION ALL"
        f" SELECT locale, published, part, -total, NULL FROM {PREFIX}"
        f" WHERE relation = {_relation(table)} AND known IS NULL) c"
        f" GROUP BY 1, 2, 3 HAVING sum(total) <> 0 OR max(latest) > {_RECENT}"
    )


def _relation(table: CountedTable) -> str:
    return f"{literal(quoted(table.name))}::regclass"
