"""WriteContext: the dependencies of an EntryWriter's units of work."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from octavo.content.completeness import Completeness
from octavo.content.input.body_check import WriteRules
from octavo.content.locales import Locales
from octavo.content.localization_families import Families
from octavo.content.prepared.creates import PreparedCreates
from octavo.content.prepared.deletes import PreparedDeletes
from octavo.content.prepared.updates import PreparedUpdates
from octavo.content.schedules import ScheduleUpdates
from octavo.content.stored_entries import EntryImages
from octavo.core.values import dataclass
from octavo.database.change_feed import ChangeFeed, DataChange
from octavo.database.connection import Database, Transaction
from octavo.database.unit_of_work import UnitOfWork
from octavo.query.sql.write.change import ChangeCompiler
from octavo.schema.registry import Registry


class WriteObserver(Protocol):
    """Observes the changes of units of work before the commit. Its own writes are part of the transaction."""

    async def before_delete(self, unit: UnitOfWork, uid: str, entry_id: int) -> None:
        """Called before an existing entry is deleted."""

    def writes(self) -> bool:
        """Return whether `before_commit` may write."""

    async def before_commit(self, unit: UnitOfWork, changes: Sequence[DataChange]) -> None:
        """Called with all changes right before the commit."""

    async def schedule_failed(self, unit: UnitOfWork, uid: str, entry_id: int, data: Mapping[str, Any]) -> None:
        """Called if an entry's schedule failed; `data` describes it."""


class AccountWriteObserver(Protocol):
    """Observes writes to users and administrators, to end their codes, sessions and tokens."""

    async def before_update(
        self, connection: Transaction, uid: str, entry_id: int, data: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """Called before an account is updated; returns the data to write."""

    async def before_delete(self, connection: Transaction, uid: str, entry_id: int) -> None:
        """Called before an existing account is deleted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteContext:
    """The dependencies of a writer's units of work."""

    database: Database
    registry: Registry
    locales: Locales
    compiler: ChangeCompiler
    feed: ChangeFeed
    images: EntryImages
    families: Families
    completeness: Completeness
    rules: WriteRules
    creates: PreparedCreates
    updates: PreparedUpdates
    deletes: PreparedDeletes
    observer: WriteObserver | None = None
    accounts: AccountWriteObserver | None = None
    schedules: ScheduleUpdates | None = None

    @property
    def reads_before_updates(self) -> bool:
        """Whether an update has to read the entry first, for change images or hidden entries."""
        return self.feed.wants_any_images or self.rules.hides_future
