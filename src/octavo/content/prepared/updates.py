"""PreparedUpdates: update an entry's own values if the body has a frequent shape.

Changes of relations, components and files depend on the entry's state and take the regular path. The row is updated
without reading it first: the statement's result says whether the entry exists, and its presence.
"""

from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple, cast

from octavo.content.prepared.body_values import MOST_VALUES, BodyReaders
from octavo.content.prepared.creates import KnownShapes
from octavo.content.prepared.plain_values import NotPlain
from octavo.content.prepared.runs import Pick, picking
from octavo.content.reader import CompiledRead
from octavo.content.validation.scalar_rules import Mode
from octavo.database.change_feed import Presence
from octavo.database.connection import IntegrityViolation, StatementRefused, Transaction, UnsuitableValue
from octavo.database.unit_of_work import UnexpectedState
from octavo.query.plan.changes import Slot, UpdateRow
from octavo.query.sql.dialects.chains import written
from octavo.query.sql.physical_names import column_name, table_name
from octavo.query.sql.write.change import ChangeCompiler
from octavo.schema.attributes import LOCALE, PUBLISHED_AT, UPDATED_AT, UPDATED_BY, Scalar
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import ValueKind
from octavo.schema.shared_values import is_unique

_MOMENT, _ACTOR, _ID, _FIRST = range(4)
"""Drafts have fewer rules, so a body that is simple for a published entry is simple for a draft."""


class PreparedUpdate(NamedTuple):
    """How to update entries with bodies of one shape, and what the statement returns besides the id."""

    text: str
    pick: Pick
    published: bool
    localized: bool
    answers: bool


class PlainUpdate(NamedTuple):
    """A simple body: its shape, its values, and the prepared update."""

    shape: Hashable
    values: list[Any]
    prepared: PreparedUpdate | None


class Updated(NamedTuple):
    """An updated entry: its presence, its locale, and the response if the statement returned it."""

    presence: Presence
    locale: str | None
    answer: bytes | None


class PreparedUpdates:
    """Caches the shapes of updates of all types."""

    def __init__(
        self, registry: Registry, compiler: ChangeCompiler, *, strict: bool = False, prepares: bool = True
    ) -> None:
        self._registry = registry
        self._compiler = compiler
        self._readers = BodyReaders(registry, compiler.dialect, Mode(creating=False, draft=False, strict=strict))
        self._known: KnownShapes[PreparedUpdate] = KnownShapes(prepares=prepares)

    def find_update(
        self,
        content_type: ContentType,
        entry_id: int,
        data: Any,
        moment: int,
        actor_id: int | None,
        answer: CompiledRead | None,
    ) -> PlainUpdate | None:
        """Return a body if it is simple and only changes values in the entry's own row. `answer`: as for creates."""
        if data.__class__ is not dict or content_type.uid in self._registry.hidden_entries:
            return None
        values: list[Any] = [self._compiler.dialect.bind(ValueKind.DATETIME, moment), actor_id, entry_id]
        try:
            shape = self._readers.read(content_type, data, values)
        except NotPlain:
            return None
        if len(values) > MOST_VALUES:
            return None
        shown = None if answer is None or self._compiler.chains is None else answer.text
        key = (content_type, actor_id is None, shown, shape)
        return PlainUpdate(key, values, self._known.find(key))

    async def run(self, connection: Transaction, plain: PlainUpdate) -> Updated | None:
        """Update an entry; return None if it does not exist. Raises UnexpectedState."""
        prepared = cast(PreparedUpdate, plain.prepared)
        try:
            row = await connection.fetch_row(prepared.text, prepared.pick(plain.values))
        except (IntegrityViolation, UnsuitableValue, StatementRefused) as error:
            if isinstance(error, StatementRefused):
                self._known.keep(plain.shape, None)
            raise UnexpectedState from error
        if row is None:
            return None
        presence = Presence.DRAFT if prepared.published and row[1] is None else Presence.LIVE
        locale = row[1 + prepared.published] if prepared.localized else None
        return Updated(presence, locale, row[-1] if prepared.answers else None)

    async def learn(
        self,
        connection: Transaction,
        content_type: ContentType,
        plain: PlainUpdate,
        data: Mapping[str, Any],
        answer: CompiledRead | None,
    ) -> None:
        """Record that a body was valid, and prepare its shape if it is frequent."""
        if not self._known.is_frequent(plain.shape):
            return
        chains = self._compiler.chains
        if answer is not None and chains is not None:
            changed = await connection.fetch_row(chains.changed_later(table_name(content_type)), ())
            answer = answer if changed is None else None
        self._known.keep(plain.shape, self._prepare(content_type, plain.values[_ACTOR], data, answer))

    def _prepare(
        self, content_type: ContentType, actor_id: int | None, data: Mapping[str, Any], answer: CompiledRead | None
    ) -> PreparedUpdate | None:
        order = self._readers.order(content_type, data)
        attributes = [content_type.attributes[name] for name in order]
        if not all(isinstance(item, Scalar) and not is_unique(item) for item in attributes):
            return None
        slots = {name: Slot(at) for at, name in enumerate(order, start=_FIRST)}
        values = {item.name: slots[item.name] for item in content_type.scalars if item.name in slots}
        if UPDATED_AT in content_type.attributes:
            values[UPDATED_AT] = Slot(_MOMENT)
        if actor_id is not None:
            values[UPDATED_BY] = Slot(_ACTOR)
        if not values:
            return None
        change = UpdateRow(
            definition=content_type,
            id=cast(int, Slot(_ID)),
            attributes=tuple(values),
            values=tuple(values.values()),
            later=UPDATED_AT,
        )
        (statement,) = self._compiler.compile(change)
        published, localized = content_type.draft_and_publish, content_type.localized
        asked = [PUBLISHED_AT] * published + [LOCALE] * localized
        columns = ("id", *(column_name(content_type.scalar(name)) for name in asked))
        pick = picking([cast(Slot, value).at for value in statement.values])
        returning = self._compiler.dialect.returning
        shown = None if answer is None or self._compiler.chains is None else answer.written(written(0))
        if shown is None:
            return PreparedUpdate(f"{statement.text} {returning(*columns)}", pick, published, localized, False)
        text = f"WITH {written(0)} AS ({statement.text} {returning('*')}) SELECT {', '.join(columns)}, ({shown})"
        return PreparedUpdate(f"{text} FROM {written(0)}", pick, published, localized, True)
