"""EntryWriter: creates, updates and deletes entries of every content-type, each in a unit of work of its own.

Refuses with ValidationError (all problems at once) and ApplicationError.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import Any, TypeVar

from octavo.content.completeness import Completeness
from octavo.content.entry_images import EntryImages
from octavo.content.hooked_unit import HookedUnit
from octavo.content.input.body_check import V4_RULES, WriteRules
from octavo.content.input.password_hashing import PasswordHasher
from octavo.content.locales import Locales
from octavo.content.localization_families import Families
from octavo.content.many_entries import ManyEntriesUnit
from octavo.content.prepared.creates import PreparedCreates
from octavo.content.prepared.updates import PreparedUpdates
from octavo.content.reader import EntryReader
from octavo.content.schedules import Schedules
from octavo.content.stored_entries import StoredEntries
from octavo.content.write_context import AccountWitness, Witness, WriteContext
from octavo.core.threads import MOST_COMPUTED_HERE
from octavo.database.change_feed import ChangeFeed
from octavo.database.connection import Database, Transaction
from octavo.database.synchronize import continue_ids
from octavo.database.unit_of_work import default_hooks, default_keepers, open_unit, run_unit
from octavo.events.hooks import Hooks
from octavo.query.sql.write.change import ChangeCompiler
from octavo.schema.content_types import LOCALE, ContentType
from octavo.schema.registry import Registry

ResultT = TypeVar("ResultT")


class EntryWriter:
    """Writes entries of every content-type.

    `feed` tells others of what has changed; without one there is nobody else to be told. `rules`: habits of v4 that
    are kept, or not. `hooks`: what a project's code does before and after. `witness`: who writes along.
    `accounts`: ends codes and sessions. `schedules`: what is to be done later.
    """

    def __init__(
        self,
        database: Database,
        registry: Registry,
        locales: Locales | None = None,
        feed: ChangeFeed | None = None,
        *,
        rules: WriteRules = V4_RULES,
        hooks: Hooks | None = None,
        witness: Witness | None = None,
        accounts: AccountWitness | None = None,
        schedules: Schedules | None = None,
    ) -> None:
        self.database = database
        self.registry = registry
        self.locales = locales or Locales(database)
        self.compiler = ChangeCompiler(registry, database.dialect)
        self.rules = rules
        self.passwords = PasswordHasher(registry)
        self.hooks: Hooks = next((one for one in (hooks, default_hooks()) if one is not None), Hooks())
        self._stored = StoredEntries(database, registry)
        self.families = Families(EntryReader(database, registry), copies_links=rules.share_always)
        self.completeness = Completeness(EntryReader(database, registry), strict=rules.strict)
        self._context = WriteContext(
            registry=registry,
            database=database,
            locales=self.locales,
            compiler=self.compiler,
            feed=feed or _own_feed(self.locales),
            images=EntryImages(database, registry),
            families=self.families,
            completeness=self.completeness,
            rules=rules,
            creates=PreparedCreates(registry, self.compiler, strict=rules.strict),
            updates=PreparedUpdates(registry, self.compiler, strict=rules.strict),
            witness=witness,
            accounts=accounts,
            schedules=schedules,
        )

    def open(self) -> AbstractAsyncContextManager[ManyEntriesUnit]:
        """Several writes, and reads between them, as one. A conflict with another transaction is not repeated.

        Raises TransactionConflict.
        """
        return open_unit(self.database, self._make_unit)

    @asynccontextmanager
    async def open_ambient(self) -> AsyncIterator[ManyEntriesUnit]:
        """As `open`; what is read and written inside belongs to the unit, whoever does it (`database.ambient`)."""
        async with self.open() as unit:
            with unit.ambient():
                yield unit

    async def run(
        self,
        work: Callable[[ManyEntriesUnit], Awaitable[ResultT]],
        *,
        grouped: bool = True,
        size: int = 0,
        about: ContentType | None = None,
    ) -> ResultT:
        """Do work in a unit; once more from the beginning if another transaction stood in the way.

        So too if the ids that the database gives were behind those that are there: then they go on from those.
        `grouped`: as for `Database.transaction`; not where the input has a `size`, in bytes, that takes long: others
        who are done would wait for it. So would they for the hooks of a type that it is known to be `about`. Raises
        ServiceUnavailable.
        """
        make = partial(self._make_unit, size=size) if size else self._make_unit
        grouped = grouped and size <= MOST_COMPUTED_HERE and (about is None or self.hooks.of(about.uid) is None)
        return await run_unit(self.database, make, work, grouped=grouped, mend=self._continue_ids)

    async def create(self, content_type: ContentType, data: Mapping[str, Any], **options: Any) -> int:
        """A new entry; its id. Options as for `EntryUnit.create`."""
        prepared = await self.passwords.prepare(content_type, data)
        return await self.run(lambda unit: unit.create(content_type, prepared, **options), about=content_type)

    async def update(
        self, content_type: ContentType, entry_id: int, data: Mapping[str, Any], *, actor_id: int | None = None
    ) -> bool:
        """Change an entry; False when there is no such entry."""
        prepared = await self.passwords.prepare(content_type, data)
        return await self.run(
            lambda unit: unit.update(content_type, entry_id, prepared, actor_id=actor_id), about=content_type
        )

    async def delete(self, content_type: ContentType, entry_id: int) -> bool:
        """Remove an entry; False when there is no such entry."""
        return await self.run(lambda unit: unit.delete(content_type, entry_id), about=content_type)

    def _make_unit(self, connection: Transaction, size: int = 0) -> ManyEntriesUnit:
        if self.hooks:
            return HookedUnit(self._context, self.hooks, self._stored, connection, size)
        return ManyEntriesUnit(self._context, connection, size)

    async def create_many(self, content_type: ContentType, items: Sequence[Any], **options: Any) -> list[int]:
        """New entries, all or none; their ids. Options as for `ManyEntriesUnit.create_many`."""
        prepared = [await self.passwords.prepare(content_type, item) for item in items]
        return await self.run(lambda unit: unit.create_many(content_type, prepared, **options), grouped=False)

    async def _continue_ids(self) -> None:
        await continue_ids(self.database, self.registry)


def _own_feed(locales: Locales) -> ChangeFeed:
    feed = ChangeFeed()
    for keeper in default_keepers():
        feed.keep(keeper)
    feed.subscribe(lambda _: locales.forget(), {LOCALE})
    return feed
