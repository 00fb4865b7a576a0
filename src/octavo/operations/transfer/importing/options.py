"""Entries of an archive whose content types have other options than those of the project: hidden, or filled."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

from octavo.database.connection import Connection
from octavo.database.option_changes import OptionChange, fill_after, mark_entries
from octavo.database.option_record import Options, options_of_v4
from octavo.operations.transfer.archive.reader import Place
from octavo.operations.transfer.archive.records import EntityRecord
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.served_rows import DRAFT, HIDDEN_ENTRIES, LOCALE
from octavo.schema.automatic import LOCALE as LOCALE_NAME
from octavo.schema.automatic import PUBLISHED_AT
from octavo.schema.registry import Registry

_DEFAULT_LOCALE: Final = "plugin_i18n_default_locale"
Lines = Iterable[tuple[Place, Mapping[str, Any], int]]


class ArchiveOptions:
    """The options that an archive's content types have, and the entries that are not to be served here."""

    def __init__(self, registry: Registry, schemas: Lines, configuration: Lines) -> None:
        self._registry = registry
        self._options = {str(line.get("uid")): Options(*options_of_v4(line)) for _, line, _ in schemas}
        self._default = next(filter(None, (_default_in(line) for _, line, _ in configuration)), "en")
        self._hidden: defaultdict[tuple[str, str], list[int]] = defaultdict(list)

    def note(self, record: EntityRecord) -> None:
        """Look at an entry that is imported."""
        content_type = self._registry.content_types.get(record.type)
        if content_type is None:
            return
        told = self._options.get(record.type, Options(False, False))
        theirs = Options(told.drafts or PUBLISHED_AT in record.data, told.localized or LOCALE_NAME in record.data)
        self._options[record.type] = theirs  # entries say more than definitions, which may be shortened
        reasons = set(record.hidden)
        if theirs.drafts and not content_type.draft_and_publish and record.data.get(PUBLISHED_AT) is None:
            reasons.add(DRAFT)
        if not content_type.localized and record.data.get(LOCALE_NAME) not in (None, self._default):
            reasons.add(LOCALE)
        for reason in reasons:
            self._hidden[record.type, reason].append(record.id)

    async def apply(self, connection: Connection, dialect: Dialect) -> int:
        """Hide and fill what was imported; how many entries are hidden."""
        await connection.execute(f"DELETE FROM {HIDDEN_ENTRIES.name}")
        for (uid, reason), ids in self._hidden.items():
            await mark_entries(connection, dialect, self._registry.content_types[uid], reason, ids)
        for uid, theirs in self._options.items():
            content_type = self._registry.content_types.get(uid)
            if content_type is not None:
                await fill_after(connection, dialect, OptionChange(content_type, theirs, frozenset()), self._default)
        return len({(uid, entry_id) for (uid, _), ids in self._hidden.items() for entry_id in ids})


def _default_in(line: Mapping[str, Any]) -> str | None:
    value = line.get("value")
    if not isinstance(value, Mapping) or value.get("key") != _DEFAULT_LOCALE:
        return None
    told = value.get("value")
    return told if isinstance(told, str) else None
