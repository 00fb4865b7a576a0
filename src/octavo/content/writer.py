"""EntryWriter: create, update and delete entries of all content types, each in its own unit of work.

Raises ValidationError (with all problems) and ApplicationError.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import Any, TypeVar, cast

from octavo.content.completeness import Completeness
from octavo.content.entry_unit import EntryUnit
from octavo.content.hooked_unit import HookedUnit
from octavo.content.input.body_check import V4_RULES, WriteRules
from octavo.content.input.password_hashing import PasswordHasher
from octavo.content.locales import Locales
from octavo.content.localization_families import Families
from octavo.content.prepared.creates import PreparedCreates
from octavo.content.prepared.deletes import PreparedDeletes
from octavo.content.prepared.updates import PreparedUpdates
from octavo.content.reader import EntryReader
from octavo.content.schedules import Schedules
from octavo.content.stored_entries import EntryImages, StoredEntries
from octavo.content.write_context import AccountWriteObserver, WriteContext, WriteObserver
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
    """Writes entries of all content types.

    `feed` is notified of changes, if given. `rules`: the compatibility rules. `hooks`: the project's hooks. `observer`:
    writes in the same transaction. `accounts`: ends codes and sessions. `schedules`: updates schedules.
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
        observer: WriteObserver | None = None,
        accounts: AccountWriteObserver | None = None,
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
            creates=PreparedCreates(registry, self.compiler, strict=rules.strict, prepares=not database.simple),
            updates=PreparedUpdates(registry, self.compiler, strict=rules.strict, prepares=not database.simple),
            deletes=PreparedDeletes(
                registry, self.compiler, scheduled=schedules is not None, prepares=not database.simple
            ),
            observer=observer,
            accounts=accounts,
            schedules=schedules,
        )

    def open(self) -> AbstractAsyncContextManager[EntryUnit]:
        """Open a unit of work for several writes and reads. Conflicts with another transaction are not retried.

        Raises TransactionConflict.
        """
        return open_unit(self.database, self._make_unit)

    @asynccontextmanager
    async def open_reading(self) -> AsyncIterator[EntryUnit]:
        """Open a unit on a snapshot, for checks that reads share with writes. The database refuses writes in it."""
        async with self.database.snapshot() as connection:
            yield self._make_unit(cast(Transaction, connection))

    @asynccontextmanager
    async def open_ambient(self) -> AsyncIterator[EntryUnit]:
        """Open a unit as `open` does; all reads and writes inside belong to it (`database.ambient`)."""
        async with self.open() as unit:
            with unit.ambient():
                yield unit

    async def run(
        self,
        work: Callable[[EntryUnit], Awaitable[ResultT]],
        *,
        grouped: bool = True,
        size: int = 0,
        about: ContentType | None = None,
    ) -> ResultT:
        """Run work in a unit. Retries after a conflict with another transaction.

        Also retries if the database's id sequence was behind existing ids; it is then advanced.
        `grouped`: as for `Database.transaction`. Not if the input's `size`, in bytes, takes long to process, nor if
        `about` is a type with hooks, because other writers of the group would wait. Raises ServiceUnavailable.
        """
        make = partial(self._make_unit, size=size) if size else self._make_unit
        grouped = grouped and size <= MOST_COMPUTED_HERE and (about is None or self.hooks.of(about.uid) is None)
        return await run_unit(self.database, make, work, grouped=grouped, mend=self._continue_ids)

    async def create(self, content_type: ContentType, data: Mapping[str, Any], **options: Any) -> int:
        """Create an entry and return its id. Options: see `EntryUnit.create`."""
        prepared = await self.passwords.prepare(content_type, data)
        return await self.run(lambda unit: unit.create(content_type, prepared, **options), about=content_type)

    async def update(
        self, content_type: ContentType, entry_id: int, data: Mapping[str, Any], *, actor_id: int | None = None
    ) -> bool:
        """Update an entry; return False if it does not exist."""
        prepared = await self.passwords.prepare(content_type, data)
        return await self.run(
            lambda unit: unit.update(content_type, entry_id, prepared, actor_id=actor_id), about=content_type
        )

    async def delete(self, content_type: ContentType, entry_id: int) -> bool:
        """Delete an entry; return False if it does not exist."""
        return await self.run(lambda unit: unit.delete(content_type, entry_id), about=content_type)

    def _make_unit(self, connection: Transaction, size: int = 0) -> EntryUnit:
        if self.hooks:
            return HookedUnit(self._context, self.hooks, self._stored, connection, size)
        return EntryUnit(self._context, connection, size)

    async def create_many(self, content_type: ContentType, items: Sequence[Any], **options: Any) -> list[int]:
        """Create entries, all or none; return their ids. Options: see `EntryUnit.create_many`."""
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
