"""Maintained counts on SQLite: row triggers update one row for each table, locale and state. There is one writer.

Strapi v4 recreates tables when it changes them, which drops their triggers. So counts are valid for one schema version
of SQLite only: any change of any table requires another check. `OR REPLACE` deletes rows without firing triggers, so
a table becomes unknown if an inserted row has the key of an existing one.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from octavo.query.sql.ddl.tables import SystemTable
from octavo.query.sql.dialects.maintained_counts import (
    LEAST_ID,
    PART_BITS,
    PREFIX,
    CountedTable,
    MaintainedCounts,
    RequestedCount,
)
from octavo.query.sql.dialects.quoting import literal, quoted

_KNOWN: Final = f"{PREFIX}_known"
_SCHEMA: Final = "(SELECT schema_version FROM pragma_schema_version)"
_ID: Final = ("id",)


def _locale_key(value: str) -> str:
    """Return a locale as stored: never NULL, so that it can be part of a key."""
    return f"coalesce('x' || hex({value}), '')" if value != "NULL" else "''"


class CountRows(MaintainedCounts):
    """`octavo_totals` holds the counts, `octavo_totals_known` the schema version that they are valid for.

    `latest` is the latest publication date, in milliseconds since 1970.
    """

    tables = (
        SystemTable(
            PREFIX,
            (
                "relation text NOT NULL",
                "locale text NOT NULL",
                "published integer NOT NULL",
                "part integer NOT NULL",
                "total integer NOT NULL",
                "latest integer",
                "PRIMARY KEY (relation, locale, published, part)",
            ),
        ),
        SystemTable(_KNOWN, ("relation text PRIMARY KEY NOT NULL", "schema_version integer NOT NULL")),
    )
    begun = f"SELECT 1 FROM {_KNOWN} UNION ALL SELECT 1 FROM {PREFIX} LIMIT 1"
    known = f"SELECT relation, schema_version = {_SCHEMA} FROM {_KNOWN}"
    triggers = (
        "SELECT tbl_name, name, sql FROM sqlite_schema"
        f" WHERE type = 'trigger' AND substr(name, 1, {len(PREFIX) + 1}) = '{PREFIX}_'"
    )
    follows_schema = True

    def total(self, asked: RequestedCount) -> str:
        later = f" - CASE WHEN max(k.latest) > {asked.now} THEN ({asked.later}) ELSE 0 END" if asked.now else ""
        return (
            f"SELECT CASE WHEN {_is_known(asked.table)}"
            f" THEN (SELECT coalesce(sum(k.total), 0){later} FROM {PREFIX} k WHERE {_conditions(asked)})"
            f" ELSE ({asked.count}) END"
        )

    def start(self, asked: RequestedCount, skipped: str) -> str:
        known = _is_known(asked.table)
        if asked.now:
            latest = f"SELECT max(k.latest) FROM {PREFIX} k WHERE {_conditions(asked)}"
            known += f" AND (({latest}) > {asked.now}) IS NOT TRUE"
        return (
            f"SELECT coalesce(max(w.part) << {PART_BITS}, {LEAST_ID}) AS first, coalesce(max(w.before), 0) AS before"
            " FROM (SELECT p.part, sum(p.n) OVER (ORDER BY p.part) - p.n AS before FROM"
            f" (SELECT k.part, sum(k.total) AS n FROM {PREFIX} k WHERE {_conditions(asked)} GROUP BY k.part) p) w"
            f" WHERE w.before <= {skipped} AND {known}"
        )

    def wanted(self, table: CountedTable) -> Mapping[str, str]:
        name, relation = quoted(table.name), literal(table.name)
        added, taken = self._add(table, "NEW", 1), self._add(table, "OLD", -1)
        texts = {
            "insert": f"AFTER INSERT ON {name} BEGIN {added}; END",
            "delete": f"AFTER DELETE ON {name} BEGIN {taken}; END",
        }
        counted = [column for column, counts in (("locale", table.localized), ("published_at", table.drafts)) if counts]
        texts["update"] = f"AFTER UPDATE OF {', '.join(('id', *counted))} ON {name} BEGIN {taken}; {added}; END"
        keys = tuple(dict.fromkeys((_ID, *table.unique)))
        forget = f"BEGIN DELETE FROM {_KNOWN} WHERE relation = {relation}; END"
        texts["replace"] = f"BEFORE INSERT ON {name} WHEN {_meets(table, keys, '')} {forget}"
        columns = ", ".join(dict.fromkeys(quoted(column) for key in keys for column in key))
        texts["replace_updating"] = (
            f"BEFORE UPDATE OF {columns} ON {name} WHEN {_meets(table, keys, ' AND t.id <> OLD.id')} {forget}"
        )
        names = {event: f"{PREFIX}_{event}_{table.name}" for event in texts}
        return {names[event]: f"CREATE TRIGGER {quoted(names[event])} {text}" for event, text in texts.items()}

    def _add(self, table: CountedTable, row: str, number: int) -> str:
        locale = _locale_key(f"{row}.locale" if table.localized else "NULL")
        published = f"{row}.published_at IS NOT NULL" if table.drafts else "0"
        latest = "NEW.published_at" if table.drafts and number > 0 else "NULL"
        return (
            f"INSERT INTO {PREFIX} (relation, locale, published, part, total, latest)"
            f" VALUES ({literal(table.name)}, {locale}, {published}, {row}.id >> {PART_BITS}, {number}, {latest})"
            " ON CONFLICT (relation, locale, published, part) DO UPDATE SET total = total + excluded.total,"
            " latest = coalesce(max(latest, excluded.latest), latest, excluded.latest)"
        )

    def install(self, table: CountedTable, others: Sequence[str]) -> str:
        wanted = self.wanted(table)
        dropped = [f"DROP TRIGGER IF EXISTS {quoted(name)}" for name in dict.fromkeys((*others, *wanted))]
        return ";\n".join((*dropped, *wanted.values(), self.forget(table)))

    def release(self, triggers: Sequence[tuple[str, str]]) -> str:
        return ";\n".join(f"DROP TRIGGER IF EXISTS {quoted(name)}" for _, name in triggers)

    def remove(self, triggers: Sequence[tuple[str, str]]) -> str:
        return ";\n".join(
            (*[text for text in (self.release(triggers),) if text], f"DELETE FROM {_KNOWN}", f"DELETE FROM {PREFIX}")
        )

    def recount(self, table: CountedTable) -> str:
        relation = literal(table.name)
        return f"""
DELETE FROM {PREFIX} WHERE relation = {relation};
INSERT INTO {PREFIX} (relation, locale, published, part, total, latest)
SELECT {relation}, * FROM ({_counted(table)})"""

    def confirm(self, table: CountedTable) -> str:
        return f"INSERT OR REPLACE INTO {_KNOWN} (relation, schema_version) VALUES ({literal(table.name)}, {_SCHEMA})"

    def forget(self, table: CountedTable) -> str:
        return f"DELETE FROM {_KNOWN} WHERE relation = {literal(table.name)}"

    def differences(self, table: CountedTable) -> str:
        kept = f"SELECT locale, published, part, -total FROM {PREFIX} WHERE relation = {literal(table.name)}"
        return (
            "SELECT 1 FROM (SELECT sum(total) AS total FROM (SELECT locale, published, part, total FROM"
            f" ({_counted(table)}) UNION ALL {kept}) GROUP BY locale, published, part) d"
            f" WHERE d.total <> 0 AND {_is_known(table)} LIMIT 1"
        )


def _is_known(table: CountedTable) -> str:
    return f"(SELECT schema_version FROM {_KNOWN} WHERE relation = {literal(table.name)}) = {_SCHEMA}"


def _conditions(asked: RequestedCount) -> str:
    conditions = [f"k.relation = {literal(asked.table.name)}"]
    if asked.published is not None:
        conditions.append(f"k.published = {int(asked.published)}")
    if asked.locales is not None:
        conditions.append(f"k.locale IN ({', '.join(map(_locale_key, asked.locales))})")
    return " AND ".join(conditions)


def _counted(table: CountedTable) -> str:
    """Return the SELECT that counts the rows of each locale and state."""
    locale = _locale_key("locale" if table.localized else "NULL")
    published, latest = ("published_at IS NOT NULL", "max(published_at)") if table.drafts else ("0", "NULL")
    return (
        f"SELECT {locale} AS locale, {published} AS published, id >> {PART_BITS} AS part, count(*) AS total,"
        f" {latest} AS latest FROM {quoted(table.name)} WHERE true GROUP BY 1, 2, 3"
    )


def _meets(table: CountedTable, keys: Sequence[Sequence[str]], but: str) -> str:
    """Return the condition that another row already has one of these keys."""
    each = (" AND ".join(f"t.{quoted(name)} = NEW.{quoted(name)}" for name in key) for key in keys)
    return " OR ".join(f"EXISTS (SELECT 1 FROM {quoted(table.name)} t WHERE {key}{but})" for key in each)
