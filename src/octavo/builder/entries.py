"""What becomes of entries when their type gets, or loses, drafts or locales: as in v4, whose pages warn of it.

Without drafts, what was a draft would be public; so it goes. Without locales, so do all localizations but those of the
default locale. With drafts, all that is there is published; with locales, it is in the default one.
"""

from collections.abc import Iterator
from typing import Final

from octavo.content.many_entries import ManyEntriesUnit
from octavo.content.writer import EntryWriter
from octavo.schema.automatic import CREATED_AT, LOCALE, PUBLISHED_AT
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import ValueKind
from octavo.sql.physical_names import column_name, table_name
from octavo.values import dataclass

_AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True)
class Turn:
    """A content-type before and after a change that gives or takes it drafts or locales."""

    before: ContentType
    after: ContentType


def turns(before: Registry, after: Registry) -> Iterator[Turn]:
    """The content-types whose entries are concerned."""
    for uid, old in before.content_types.items():
        new = after.content_types.get(uid)
        if new is None or old.collection_name != new.collection_name:
            continue
        if (old.draft_and_publish, old.localized) != (new.draft_and_publish, new.localized):
            yield Turn(old, new)


async def settle_entries(writer: EntryWriter, found: tuple[Turn, ...], default_locale: str) -> None:
    """Remove what goes and fill in what is new, all or nothing. `writer` is one of the registry before."""

    async def work(unit: ManyEntriesUnit) -> None:
        for turn in found:
            if turn.before.draft_and_publish and not turn.after.draft_and_publish:
                await _remove(unit, writer, turn.before, f"{_column(writer, turn.before, PUBLISHED_AT)} IS NULL")
            if turn.before.localized and not turn.after.localized:
                locale = _column(writer, turn.before, LOCALE)
                await _remove(unit, writer, turn.before, f"{locale} <> {_mark(writer)}", default_locale)
            if turn.after.draft_and_publish and not turn.before.draft_and_publish:
                published = _column(writer, turn.after, PUBLISHED_AT)
                text = f"{published} = {_column(writer, turn.after, CREATED_AT)} WHERE {published} IS NULL"
                await unit.connection.execute(f"UPDATE {_table(writer, turn.after)} SET {text}")
            if turn.after.localized and not turn.before.localized:
                locale = _column(writer, turn.after, LOCALE)
                text = f"{locale} = {_mark(writer)} WHERE {locale} IS NULL"
                await unit.connection.execute(f"UPDATE {_table(writer, turn.after)} SET {text}", (default_locale,))

    if found:
        await writer.run(work, grouped=False)


async def _remove(
    unit: ManyEntriesUnit, writer: EntryWriter, content_type: ContentType, condition: str, *values: str
) -> None:
    text = f"SELECT id FROM {_table(writer, content_type)} WHERE {condition} ORDER BY id"
    ids = [row[0] for row in await unit.connection.fetch_all(text, values)]
    for start in range(0, len(ids), _AT_ONCE):
        await unit.delete_many(content_type, ids[start : start + _AT_ONCE])


def _table(writer: EntryWriter, content_type: ContentType) -> str:
    return writer.database.dialect.quote(table_name(content_type))


def _column(writer: EntryWriter, content_type: ContentType, name: str) -> str:
    return writer.database.dialect.quote(column_name(content_type.scalar(name)))


def _mark(writer: EntryWriter) -> str:
    return writer.database.dialect.placeholder(1, ValueKind.STRING)
