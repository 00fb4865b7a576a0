"""Substring indexes on SQLite: an FTS5 table per column with the trigrams of each row.

It stores no texts, and folds case beyond ASCII, so it finds a superset of what LIKE finds. Triggers only record ids:
other programs that write need no FTS5, and their writes cost little.

An index is valid for one schema version, as for counts (`sqlite_counts`): v4 recreates tables without triggers. Old
texts of changed rows remain in the index, and produce false candidates. `contentless_delete` would avoid that, but
SQLite before 3.43, as v4 may use, cannot even list the columns of such a table. So an index is rebuilt when the
number of changes reaches the number of rows.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from octavo.query.sql.ddl.tables import SystemTable, SystemTypes
from octavo.query.sql.dialects.substring_indexes import PREFIX, SubstringIndex, SubstringIndexes

_WAITING: Final = f"{PREFIX}_waiting"
_SCHEMA: Final = "(SELECT schema_version FROM pragma_schema_version)"
_SHORTEST: Final = 3
"""Minimum characters of a substring to search for in the index."""
_LONGEST: Final = 1_000
"""Longer substrings are searched without the index: each character reads another list of rows."""
_MERGED_PAGES: Final = 100
"""Index pages written in one step: about 30 milliseconds."""


class _PartsTable(SystemTable):
    """An FTS5 table."""

    def script(self, types: SystemTypes) -> str:
        del types
        return self.definition

    @property
    def definition(self) -> str:
        """The statement that creates the table if it is missing."""
        options = ", ".join((*self.columns, "content=''", "columnsize=0", "tokenize='trigram'"))
        return f"CREATE VIRTUAL TABLE IF NOT EXISTS {_quoted(self.name)} USING fts5({options})"


class TrigramIndexes(SubstringIndexes):
    """`octavo_parts` stores how far an index is `filled`, whether it is complete (`whole`), the number of rows
    `changed` since, and the schema version it is valid for; `octavo_parts_waiting` the ids of changed rows to index."""

    tables = (
        SystemTable(
            PREFIX,
            (
                "name text PRIMARY KEY NOT NULL",
                "filled integer",
                "whole integer NOT NULL",
                "changed integer NOT NULL",
                "schema_version integer NOT NULL",
            ),
        ),
        SystemTable(_WAITING, ("name text NOT NULL", "id integer NOT NULL", "PRIMARY KEY (name, id)")),
    )
    states = f"SELECT name, whole, schema_version = {_SCHEMA} FROM {PREFIX}"
    triggers = (
        "SELECT name, sql FROM sqlite_schema"
        f" WHERE type = 'trigger' AND substr(name, 1, {len(PREFIX) + 1}) = '{PREFIX}_'"
    )

    def table(self, index: SubstringIndex) -> _PartsTable:
        return _PartsTable(index.name, ("part",))

    def narrowed(self, index: SubstringIndex, alias: str, part: str, contains: Callable[[str], str]) -> str:
        table, name = _quoted(index.name), _text(index.name)
        known = f"(SELECT k.schema_version FROM {PREFIX} k WHERE k.name = {name} AND k.whole) = {_SCHEMA}"
        length = f"length({part}) BETWEEN {_SHORTEST} AND {_LONGEST}"
        helps = f"({length} AND instr({part}, char(0)) = 0 AND {known})"
        phrase = f"""'"' || replace({part}, '"', '""') || '"'"""
        # without it, the condition, which has a lookup, would run for each row
        unhelped = f"(SELECT 1 WHERE {helps} IS NOT TRUE) g"
        matches = (
            f"SELECT rowid FROM {table} WHERE {table} MATCH CASE WHEN {helps} THEN {phrase} ELSE '\"\"' END"
            f" UNION ALL SELECT w.id FROM {_WAITING} w WHERE w.name = {name} AND {helps}"
            f" UNION ALL SELECT f.id FROM {unhelped} CROSS JOIN {_quoted(index.table)} f WHERE {contains('f')}"
        )
        return f"({alias}.id IN ({matches}) AND {contains(alias)})"

    def wanted(self, index: SubstringIndex) -> Mapping[str, str]:
        table, column = _quoted(index.table), _quoted(index.column)
        changed = f"NEW.{column} IS NOT OLD.{column} OR NEW.id <> OLD.id"
        events = {
            "insert": f"AFTER INSERT ON {table} BEGIN {_note(index, 'NEW')}; END",
            "update": f"AFTER UPDATE OF id, {column} ON {table} WHEN {changed} BEGIN {_note(index, 'NEW')}; END",
        }
        names = {event: f"{index.name}_{event}" for event in events}
        return {names[event]: f"CREATE TRIGGER {_quoted(names[event])} {text}" for event, text in events.items()}

    def install(self, index: SubstringIndex) -> str:
        table, name, wanted = _quoted(index.name), _text(index.name), self.wanted(index)
        return ";\n".join(
            (
                self.table(index).definition,
                self.release(wanted),
                *wanted.values(),
                f"INSERT INTO {table} ({table}) VALUES ('delete-all')",
                f"DELETE FROM {_WAITING} WHERE name = {name}",
                f"INSERT OR REPLACE INTO {PREFIX} (name, filled, whole, changed, schema_version)"
                f" VALUES ({name}, NULL, 0, 0, -1)",
            )
        )

    def confirm(self, index: SubstringIndex) -> str:
        return f"UPDATE {PREFIX} SET schema_version = {_SCHEMA} WHERE name = {_text(index.name)}"

    def last_of_step(self, index: SubstringIndex) -> str:
        rows = f"SELECT id FROM {_quoted(index.table)} WHERE {_behind(index)} ORDER BY id LIMIT ?1"
        return f"SELECT max(id) FROM ({rows})"

    def fill(self, index: SubstringIndex) -> str:
        return (
            f"INSERT INTO {_quoted(index.name)} (rowid, part) SELECT id, {_quoted(index.column)}"
            f" FROM {_quoted(index.table)} WHERE {_behind(index)} AND id <= ?1"
        )

    def filled(self, index: SubstringIndex) -> str:
        return f"UPDATE {PREFIX} SET filled = coalesce(?1, filled), whole = ?1 IS NULL WHERE name = {_text(index.name)}"

    def pieces(self, index: SubstringIndex) -> str:
        return f"SELECT count(DISTINCT segid) FROM {_quoted(f'{index.name}_idx')}"

    def merge(self, index: SubstringIndex) -> str:
        table = _quoted(index.name)
        return f"INSERT INTO {table} ({table}, rank) VALUES ('merge', {-_MERGED_PAGES})"

    def waiting(self, index: SubstringIndex) -> str:
        return f"SELECT count(*) FROM {_WAITING} WHERE name = {_text(index.name)}"

    def is_worn(self, index: SubstringIndex, least: int) -> str:
        changed = f"SELECT changed FROM {PREFIX} WHERE name = {_text(index.name)} AND changed > {least}"
        return f"SELECT 1 FROM ({changed}) c WHERE c.changed > (SELECT count(*) FROM {_quoted(index.table)})"

    def fold(self, index: SubstringIndex, most: int) -> str:
        table, name, rows = _quoted(index.name), _text(index.name), _quoted(index.table)
        ids = f"SELECT id FROM {_WAITING} WHERE name = {name} ORDER BY id LIMIT {most}"
        return (
            f"INSERT INTO {table} (rowid, part) SELECT id, {_quoted(index.column)} FROM {rows} WHERE id IN ({ids});\n"
            f"UPDATE {PREFIX} SET changed = changed + (SELECT count(*) FROM ({ids})) WHERE name = {name};\n"
            f"DELETE FROM {_WAITING} WHERE name = {name} AND id IN ({ids})"
        )

    def remove(self, names: Iterable[str], triggers: Iterable[str]) -> str:
        texts = [self.release(triggers)]
        for name in names:
            texts.append(f"DROP TABLE IF EXISTS {_quoted(name)}")
            texts += (f"DELETE FROM {own} WHERE name = {_text(name)}" for own in (PREFIX, _WAITING))
        return ";\n".join(filter(None, texts))

    def release(self, triggers: Iterable[str]) -> str:
        return ";\n".join(f"DROP TRIGGER IF EXISTS {_quoted(name)}" for name in triggers)


def _note(index: SubstringIndex, row: str) -> str:
    # An upsert: the conflict clause of the outer statement would apply to the inserts of its triggers as well.
    return (
        f"INSERT INTO {_WAITING} (name, id) VALUES ({_text(index.name)}, {row}.id)"
        " ON CONFLICT (name, id) DO UPDATE SET id = excluded.id"
    )


def _behind(index: SubstringIndex) -> str:
    """Return the condition that a row is not indexed yet."""
    filled = f"SELECT filled FROM {PREFIX} WHERE name = {_text(index.name)}"
    return f"id > coalesce(({filled}), {-(2**63)})"


def _quoted(name: str) -> str:
    return f'"{name.replace(chr(34), chr(34) * 2)}"'


def _text(name: str) -> str:
    return "'" + name.replace("'", "''") + "'"
