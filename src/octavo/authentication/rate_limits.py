"""Rate limits on attempts at accounts: by route, address and whom they are about, and by address alone.

Attempts are counted under a door-neutral route, so that neither the spelling of a path nor another door gets round
them. Refuses with `RateLimitError`.
"""

import unicodedata
from collections.abc import Hashable
from dataclasses import dataclass
from hashlib import blake2b
from ipaddress import AddressValueError, IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final

from limits import RateLimitItemPerSecond
from limits.aio.storage import MemoryStorage, Storage
from limits.aio.strategies import FixedWindowRateLimiter
from limits.errors import StorageError

from octavo.clock import this_moment
from octavo.database.connection import Database
from octavo.database.unit_of_work import unit_of_work
from octavo.errors import RateLimitError, ServiceUnavailable
from octavo.sql.ddl.tables import OwnTable
from octavo.sql.own_table_statement import OwnStatement

TABLE: Final = OwnTable(
    "octavo_rate_limits",
    ("name varchar(255) PRIMARY KEY NOT NULL", "hits integer NOT NULL", "expires_at bigint NOT NULL"),
)

_COUNT: Final = OwnStatement("""
INSERT INTO octavo_rate_limits (name, hits, expires_at) VALUES ({name}, {hits}, {expires_at})
{name:on_conflict}
  hits = CASE WHEN octavo_rate_limits.expires_at <= {now} THEN {hits:proposed}
              ELSE octavo_rate_limits.hits + {hits:proposed} END,
  expires_at = CASE WHEN octavo_rate_limits.expires_at <= {now} THEN {expires_at:proposed}
                    ELSE octavo_rate_limits.expires_at END
{hits:returning}""")
_READ: Final = OwnStatement("SELECT hits FROM octavo_rate_limits WHERE name = {name} AND expires_at > {now}")
_END: Final = OwnStatement("SELECT expires_at FROM octavo_rate_limits WHERE name = {name}")
_FORGET: Final = OwnStatement("DELETE FROM octavo_rate_limits WHERE expires_at <= {now}")
_CLEAR: Final = OwnStatement("DELETE FROM octavo_rate_limits WHERE name = {name}")


@dataclass(frozen=True, slots=True)
class RateLimitOptions:
    """`most` attempts about one account, `most_by_address` in all, from one address within `interval` seconds."""

    enabled: bool = True
    interval: int = 300
    most: int = 5
    most_by_address: int = 50


class RateLimits:
    """Counts attempts. In memory, unless a shared storage is given."""

    def __init__(self, options: RateLimitOptions, storage: Storage | None = None) -> None:
        self._enabled = options.enabled
        self._limiter = FixedWindowRateLimiter(storage or MemoryStorage())
        self._one = RateLimitItemPerSecond(options.most, options.interval, "one")
        self._all = RateLimitItemPerSecond(options.most_by_address, options.interval, "all")

    async def check(self, route: str, address: str, about: Hashable = "") -> None:
        """Count an attempt. `about` is the text that names an account, or the id of one. Raises RateLimitError."""
        if not self._enabled:
            return
        await self.check_address(address)
        await self._count_one(route, _place(address), about)

    async def check_address(self, address: str) -> None:
        """Count an attempt that is about nobody yet. Raises RateLimitError."""
        if self._enabled and not await self._hit(self._all, _place(address)):
            raise RateLimitError

    async def check_account(self, route: str, address: str, account_id: int) -> None:
        """The same attempt, now that the account is known: by name or by e-mail makes no difference."""
        if self._enabled:
            await self._count_one(route, _place(address), account_id)

    async def _count_one(self, route: str, place: str, about: Hashable) -> None:
        if not await self._hit(self._one, route, place, _key(about)):
            raise RateLimitError

    async def _hit(self, item: RateLimitItemPerSecond, *names: str) -> bool:
        """Count; where that is not possible nobody gets in, for else a way to stop the counting would be a way in."""
        try:
            return await self._limiter.hit(item, *names)
        except StorageError as error:
            raise ServiceUnavailable(reason="attempts at logins cannot be counted") from error


def _place(address: str) -> str:
    """An address; of IPv6 the network that one customer gets."""
    try:
        found: IPv4Address | IPv6Address = ip_address(address.partition("%")[0])
    except (AddressValueError, ValueError):
        return _key(address)
    if isinstance(found, IPv6Address):
        return str(found.ipv4_mapped or IPv6Network((found, 64), strict=False).network_address)
    return str(found)


def _key(about: Hashable) -> str:
    """A short name for what an attempt is about: the same for every spelling of a text."""
    text = unicodedata.normalize("NFKC", str(about)).casefold().strip() if isinstance(about, str) else f"#{about}"
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


class DatabaseStorage(Storage):
    """Counts in the project's database, for several workers or machines; fixed windows only."""

    STORAGE_SCHEME = ["async+octavo"]  # noqa: RUF012 - declared so by the library

    def __init__(self, database: Database) -> None:
        super().__init__()
        self._database = database
        self._dialect = database.dialect

    @property
    def base_exceptions(self) -> type[Exception]:
        """What the library may wrap; it is told to wrap nothing."""
        return ServiceUnavailable

    async def incr(self, key: str, expiry: float, amount: int = 1) -> int:
        """Count; what is over is forgotten whenever something new begins."""
        now = this_moment()
        async with unit_of_work(self._database) as unit:
            expires_at = now + int(expiry * 1000)
            counted = _COUNT.bind(self._dialect, name=key, hits=amount, expires_at=expires_at, now=now)
            hits = int(await unit.connection.fetch_value(*counted))
            if hits == amount:
                await unit.connection.execute(*_FORGET.bind(self._dialect, now=now))
        return hits

    async def get(self, key: str) -> int:
        """What has been counted."""
        return int(await self._database.fetch_value(*_READ.bind(self._dialect, name=key, now=this_moment())) or 0)

    async def get_expiry(self, key: str) -> float:
        """When counting begins anew."""
        return int(await self._database.fetch_value(*_END.bind(self._dialect, name=key)) or this_moment()) / 1000

    async def check(self) -> bool:
        """Whether the database answers."""
        return bool(await self._database.fetch_value("SELECT 1"))

    async def reset(self) -> int | None:
        """Forget everything."""
        return await self._database.execute("DELETE FROM octavo_rate_limits")

    async def clear(self, key: str) -> None:
        """Forget one count."""
        await self._database.execute(*_CLEAR.bind(self._dialect, name=key))
