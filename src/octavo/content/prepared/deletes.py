"""PreparedDeletes: delete an entry of a frequent type, with everything that belongs to it, in one statement.

Only for databases that support writes in a WITH clause. The statement also returns the response if that has only the
entry's own values. Entries with components that the definition does not list take the regular path.
"""

from collections.abc import Hashable
from typing import NamedTuple, cast

from octavo.content.prepared.creates import KnownShapes
from octavo.content.prepared.runs import Pick, picking
from octavo.content.reader import CompiledRead
from octavo.content.schedules import has_schedules
from octavo.database.change_feed import Presence
from octavo.database.connection import IntegrityViolation, StatementRefused, Transaction
from octavo.database.unit_of_work import UnexpectedState
from octavo.query.sql.physical_names import column_name
from octavo.query.sql.write.change import ChangeCompiler
from octavo.query.sql.write.entry_deletion import ENTRY_ID, UndeterminedDeletion, compile_deletion
from octavo.schema.attributes import LOCALE, PUBLISHED_AT
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry


class Deleted(NamedTuple):
    """A deleted entry: its presence, its locale, whether it has schedules, and the response if the statement returned
    it."""

    was: Presence
    locale: str | None
    scheduled: bool
    answer: bytes | None


class PreparedDelete(NamedTuple):
    """How to delete entries of a type, and what the statement returns besides the id."""

    text: str
    pick: Pick
    constants: tuple[str, ...]
    published: bool
    localized: bool
    answers: bool


class PlainDelete(NamedTuple):
    """A delete that one statement can run: its shape, the read for the response, and the prepared delete."""

    shape: Hashable
    answer: CompiledRead | None
    prepared: PreparedDelete | None


class PreparedDeletes:
    """Caches the deletes of all types. `scheduled`: whether entries can have schedules."""

    def __init__(
        self, registry: Registry, compiler: ChangeCompiler, *, scheduled: bool = False, prepares: bool = True
    ) -> None:
        self._registry = registry
        self._compiler = compiler
        self._scheduled = scheduled
        self._known: KnownShapes[PreparedDelete] = KnownShapes(prepares=prepares)

    def find_delete(self, content_type: ContentType, answer: CompiledRead | None) -> PlainDelete | None:
        """Return the delete for a type, if one statement can run it. `answer`: as for creates."""
        if self._compiler.chains is None or content_type.uid in self._registry.hidden_entries:
            return None
        shape = (content_type, None if answer is None else answer.text)
        return PlainDelete(shape, answer, self._known.find(shape))

    async def run(self, connection: Transaction, plain: PlainDelete, entry_id: int) -> Deleted | None:
        """Delete an entry; return None if it does not exist. Raises UnexpectedState."""
        prepared = cast(PreparedDelete, plain.prepared)
        try:
            row = await connection.fetch_row(prepared.text, prepared.pick((entry_id, *prepared.constants)))
        except (IntegrityViolation, StatementRefused) as error:
            if isinstance(error, StatementRefused):
                self._known.keep(plain.shape, None)
            raise UnexpectedState from error
        if row is None:
            return None
        unlisted, scheduled, *others = row
        if unlisted:
            raise UnexpectedState
        was = Presence.DRAFT if prepared.published and others[0] is None else Presence.LIVE
        locale = others[prepared.published] if prepared.localized else None
        return Deleted(was, locale, scheduled, others[-1] if prepared.answers else None)

    async def learn(self, connection: Transaction, content_type: ContentType, plain: PlainDelete) -> None:
        """Count a delete on the regular path, and prepare those of the type if they are frequent."""
        if self._known.is_frequent(plain.shape):
            self._known.keep(plain.shape, await self._prepare(connection, content_type, plain.answer))

    async def _prepare(
        self, connection: Transaction, content_type: ContentType, answer: CompiledRead | None
    ) -> PreparedDelete | None:
        chains = self._compiler.chains
        assert chains is not None, "`find` has checked that"
        try:
            deletion = compile_deletion(content_type, self._compiler)
        except UndeterminedDeletion:
            return None
        if await connection.fetch_row(chains.guards(deletion.tables), ()) is not None:
            return None
        row = deletion.row
        published, localized = content_type.draft_and_publish, content_type.localized
        scheduled = "false"
        if self._scheduled and published:
            scheduled = has_schedules(content_type, f"{row}.id", self._compiler.dialect)
        columns = [deletion.unlisted, scheduled]
        named = [PUBLISHED_AT] * published + [LOCALE] * localized
        columns += [column_name(content_type.scalar(name)) for name in named]
        shown = None if answer is None else answer.written(row)
        columns += [] if shown is None else [f"({shown})"]
        text = chains.rows(deletion.steps, f"{', '.join(columns)} FROM {row}")
        if text is None:
            return None
        values = [value for step in deletion.steps for value in step.statement.values]
        constants = tuple(value for value in values if value != ENTRY_ID)
        places = iter(range(1, len(values) + 1))
        pick = picking([0 if value == ENTRY_ID else next(places) for value in values])
        return PreparedDelete(text, pick, constants, published, localized, shown is not None)
