"""WriteContext: what every unit of one writer works with."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from octavo.content.completeness import Completeness
from octavo.content.entry_images import EntryImages
from octavo.content.input.body_check import WriteRules
from octavo.content.locales import Locales
from octavo.content.localization_families import Families
from octavo.content.prepared.creates import PreparedCreates
from octavo.content.prepared.updates import PreparedUpdates
from octavo.content.schedules import Following
from octavo.core.values import dataclass
from octavo.database.change_feed import ChangeFeed, DataChange
from octavo.database.connection import Database, Transaction
from octavo.database.unit_of_work import UnitOfWork
from octavo.query.sql.write.change import ChangeCompiler
from octavo.schema.registry import Registry


class Witness(Protocol):
    """Who sees what units of work change before they are committed; what it writes counts if they do."""

    async def before_delete(self, unit: UnitOfWork, uid: str, entry_id: int) -> None:
        """An entry that is there still will be removed."""

    async def before_commit(self, unit: UnitOfWork, changes: Sequence[DataChange]) -> None:
        """Nothing else is changed before the commit."""

    async def tell(self, unit: UnitOfWork, uid: str, entry_id: int, data: Mapping[str, Any]) -> None:
        """The schedule of an entry has failed; `data` says which, and why."""


class AccountWitness(Protocol):
    """Sees writes to users and administrators, and ends what they end."""

    async def before_update(
        self, connection: Transaction, uid: str, entry_id: int, data: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """An account is about to change. Return the data to write."""

    async def before_delete(self, connection: Transaction, uid: str, entry_id: int) -> None:
        """An account that is there still will be removed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteContext:
    """What every unit of one writer works with."""

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
    witness: Witness | None = None
    accounts: AccountWitness | None = None
    schedules: Following | None = None

    @property
    def asks_before_updates(self) -> bool:
        """Whether somebody wants to know more of an entry that is changed than the change itself tells."""
        return self.feed.wants_any_images or self.rules.hides_future
