"""The stored record of the content types' options at the last synchronization."""

from hashlib import blake2b
from typing import Any, Final

import orjson

from octavo.core.clock import wall_time
from octavo.core.values import dataclass
from octavo.database.connection import RowReader
from octavo.database.leases import TABLE
from octavo.database.rule_conflicts import RuleName
from octavo.query.sql.ddl.tables import wanted_tables
from octavo.query.sql.dialects.base import BasicDialect
from octavo.query.sql.physical_names import table_name
from octavo.query.sql.raw_statement import RawStatement
from octavo.schema.attributes import Enumeration, Scalar
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.registry import Registry
from octavo.schema.shared_values import is_unique

_MOST_TABLES: Final = 5
"""Number of former table names stored for a definition, the newest ones."""
_MOST_SEEN: Final = 20
"""Number of former definitions stored, the newest ones."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a content type that determine which entries are served."""

    drafts: bool
    localized: bool


class OptionRecord:
    """The options of content types, by table, as of the last synchronization."""

    def __init__(self, stored: str | None, v4: str | None) -> None:
        self.stored = stored
        record = orjson.loads(stored or "{}")
        self._types: dict[str, list[bool]] = record.get("types", {})
        self._attributes: dict[str, list[str]] = record.get("attributes", {})
        self._rules: dict[str, dict[str, dict[str, Any]]] | None = record.get("rules")
        self._seen: list[str] = record.get("seen", [])
        self._seen_indexes: list[str] = record.get("seenIndexes", [])
        self._tables: dict[str, list[str]] = record.get("tables", {})
        self.hid_future = record.get("hidesFuture") is True
        """Whether entries with a future `published_at` were not served."""
        self._v4_mark = blake2b((v4 or "").encode(), digest_size=12).hexdigest()
        self._of_v4 = _v4_options(v4) if record.get("v4") != self._v4_mark else {}
        """The options stored by v4, if it has run since: it has applied its own changes."""
        for uid, table in _tables_of_v4(v4).items():
            self._tables[uid] = _with_last(self._tables.get(uid, []), table)

    def of(self, content_type: ContentType) -> Options | None:
        """Return the options that entries of a type follow, or None if unknown."""
        table = table_name(content_type)
        known, of_v4 = self._types.get(table), self._of_v4.get(table)
        if known is None or of_v4 is None:
            known = known or of_v4
            return None if known is None else Options(*known)
        now = (content_type.draft_and_publish, content_type.localized)
        return Options(*(new if new == theirs else ours for new, theirs, ours in zip(now, of_v4, known, strict=True)))

    def with_types(self, registry: Registry, *, hides_future: bool | None = None, keeps_indexes: bool = False) -> str:
        """Return the record to store: the current options, and the last ones of removed types.

        `keeps_indexes`: other nodes serve definitions with newer indexes, which stay the newest.
        """
        seen = _with_newest(self._seen, options_mark(registry))
        hides = self.hid_future if hides_future is None else hides_future
        types = {**self._of_v4, **self._types, **_options_of(registry)}
        attributes = {**self._attributes, **_localized_attributes(registry)}
        tables = dict(self._tables)
        for definition in registry.definitions():
            tables[definition.uid] = _with_last(tables.get(definition.uid, []), definition.collection_name)
        record = {"types": types, "attributes": attributes, "v4": self._v4_mark, "seen": seen, "hidesFuture": hides}
        record["tables"] = tables
        indexes = indexes_mark(registry)
        record["seenIndexes"] = self._seen_indexes if keeps_indexes else _with_newest(self._seen_indexes, indexes)
        record["rules"] = {**(self._rules or {}), **_rules_of(registry)}
        return orjson.dumps(record, option=orjson.OPT_SORT_KEYS).decode()

    def now_shared(self, content_type: ContentType) -> list[Scalar]:
        """Return the attributes of a localized type that were localized, and are now shared across locales."""
        before = self._attributes.get(table_name(content_type), ()) if content_type.localized else ()
        return [each for each in content_type.scalars if each.name in before and not each.localized]

    def new_rules(self, definition: Definition) -> list[tuple[Scalar, RuleName]]:
        """Return the rules of attributes that they did not have before. Empty if the former rules are unknown."""
        before = None if self._rules is None else self._rules.get(definition.collection_name)
        if before is None:
            return []
        return [(one, rule) for one in definition.scalars for rule in _added(_rules(one), before.get(one.name, {}))]

    def former_tables(self, definition: Definition) -> list[str]:
        """Return the tables of a content type or component before its `collectionName` changed, the newest first."""
        names = self._tables.get(definition.uid, [])
        return [name for name in reversed(names) if name != definition.collection_name]

    def newer(self, registry: Registry) -> str | None:
        """Return the mark of newer options than those of the definitions, or None if these are new or the latest."""
        mark = options_mark(registry)
        return self._seen[-1] if mark in self._seen[:-1] else None

    def newer_indexes(self, registry: Registry) -> str | None:
        """Return the mark of newer indexes than those of the definitions, or None if these are new or the latest."""
        return self._seen_indexes[-1] if indexes_mark(registry) in self._seen_indexes[:-1] else None


def _with_newest(marks: list[str], mark: str) -> list[str]:
    """Return the marks with `mark` at the end, limited to the newest."""
    return [*(each for each in marks if each != mark), mark][-_MOST_SEEN:]


def serving_mark(registry: Registry) -> str:
    """Return what a process records about the definitions that it serves: the marks of indexes and of options."""
    return f"{indexes_mark(registry)} {options_mark(registry)}"


def indexes_mark(registry: Registry) -> str:
    """Return a hash of the indexes of all tables."""
    indexes = [
        [table.name, index.name, *index.introspected_columns]
        for table in wanted_tables(registry)
        for index in (*table.indexes,)
    ]
    return blake2b(orjson.dumps(sorted(indexes)), digest_size=6).hexdigest()  # three marks fit into a lease's 64 bytes


def options_mark(registry: Registry) -> str:
    """Return a hash of the options of all content types."""
    options = orjson.dumps(_options_of(registry), option=orjson.OPT_SORT_KEYS)
    return blake2b(options, digest_size=12).hexdigest()


def _options_of(registry: Registry) -> dict[str, list[bool]]:
    """Return whether the content types have drafts and locales, by table."""
    return {table_name(each): [each.draft_and_publish, each.localized] for each in registry.content_types.values()}


def _localized_attributes(registry: Registry) -> dict[str, list[str]]:
    """Return the localized attributes of localized types, by table."""
    return {
        table_name(each): [attribute.name for attribute in each.scalars if attribute.localized]
        for each in registry.content_types.values()
        if each.localized
    }


def _rules_of(registry: Registry) -> dict[str, dict[str, dict[RuleName, Any]]]:
    """Return the rules of the attributes of content types and components, by table."""
    return {
        each.collection_name: {one.name: rules for one in each.scalars if (rules := _rules(one))}
        for each in registry.definitions()
    }


def _rules(attribute: Scalar) -> dict[RuleName, Any]:
    """Return the rules of one attribute: enumerations with their values."""
    rules: dict[RuleName, Any] = {}
    if attribute.required:
        rules["required"] = True
    if is_unique(attribute):
        rules["unique"] = True
    if isinstance(attribute, Enumeration):
        rules["enumeration"] = sorted(attribute.values)
    return rules


def _added(now: dict[RuleName, Any], before: dict[str, Any]) -> list[RuleName]:
    """Return the rules that are new, or stricter than before."""
    values = now.get("enumeration", ())
    is_shorter = "enumeration" in now and not {*before.get("enumeration", ("",))} <= {*values}
    return [rule for rule in now if (is_shorter if rule == "enumeration" else rule not in before)]


def _with_last(names: list[str], last: str) -> list[str]:
    """Return the names with `last` at the end, limited to the newest."""
    return [*(name for name in names if name != last), last][-_MOST_TABLES:]


def _tables_of_v4(stored: str | None) -> dict[str, str]:
    """Return the tables of content types as stored by v4, by UID."""
    try:
        types = orjson.loads(stored or "{}")
    except orjson.JSONDecodeError:
        return {}
    tables = {}
    for uid, raw in types.items() if isinstance(types, dict) else ():
        table = raw.get("collectionName") if isinstance(raw, dict) else None
        if isinstance(table, str):
            tables[uid] = table
    return tables


def _v4_options(stored: str | None) -> dict[str, list[bool]]:
    """Return the options of content types as stored by v4, by table."""
    try:
        types = orjson.loads(stored or "{}")
    except orjson.JSONDecodeError:
        return {}
    options = {}
    for raw in types.values() if isinstance(types, dict) else ():
        table = raw.get("collectionName") if isinstance(raw, dict) else None
        if isinstance(table, str):
            options[table] = options_of_v4(raw)
    return options


def options_of_v4(raw: Any) -> list[bool]:
    """Return the options of a content type in v4's format: whether it has drafts, and locales."""
    return [_flag(raw, "options", "draftAndPublish"), _flag(raw, "pluginOptions", "i18n", "localized")]


def _flag(raw: Any, *path: str) -> bool:
    for name in path:
        raw = raw.get(name) if isinstance(raw, dict) else None
    return raw is True


PREFIX: Final = "serving "
_COUNT: Final = RawStatement(f"""
SELECT count(*) FROM {TABLE.name} WHERE name LIKE '{PREFIX}%' AND holder LIKE {{holders}} AND expires_at > {{now}}""")


async def is_served_elsewhere(connection: RowReader, dialect: BasicDialect, mark: str) -> bool:
    """Return whether a process serves definitions with this mark (`option_record.serving_mark`). The table of leases
    must exist."""
    counting = _COUNT.bind(dialect, holders=f"% {mark}%", now=int(wall_time()))
    return bool(await connection.fetch_value(*counting))
