"""Rate limits on attempts at accounts: by route, address and whom they are about, and by address alone.

Attempts are counted under a door-neutral route, so that neither the spelling of a path nor another door gets round
them. Refuses with `RateLimitError`.
"""

from collections.abc import Callable, Hashable
from hashlib import blake2b
from importlib import import_module
from ipaddress import AddressValueError, IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING, Final, Literal

from octavo.core.errors import RateLimitError
from octavo.core.text_limits import fold_identifier
from octavo.core.threads import in_thread
from octavo.core.values import dataclass
from octavo.query.sql.ddl.tables import OwnTable

if TYPE_CHECKING:
    from limits.aio.storage import Storage

    from octavo.access.authentication.attempt_counts import AttemptCounts

TABLE: Final = OwnTable(
    "octavo_rate_limits",
    ("name varchar(255) PRIMARY KEY NOT NULL", "hits integer NOT NULL", "expires_at bigint NOT NULL"),
)


@dataclass(frozen=True, slots=True)
class RateLimitOptions:
    """`most` attempts about one account, `most_by_address` in all, from one address within `interval` seconds."""

    enabled: bool = True
    interval: int = 300
    most: int = 5
    most_by_address: int = 50


class RateLimits:
    """Counts attempts. In memory, unless `open_storage` opens a shared storage.

    What counts is loaded at the first attempt, in a thread: a service that nobody signs in to is 3 MB smaller.
    """

    def __init__(self, options: RateLimitOptions, open_storage: "Callable[[], Storage] | None" = None) -> None:
        self._options = options
        self._open_storage = open_storage
        self._counts: AttemptCounts | None = None

    async def check(self, route: str, address: str, about: Hashable = "") -> None:
        """Count an attempt. `about` is the text that names an account, or the id of one. Raises RateLimitError."""
        if not self._options.enabled:
            return
        await self.check_address(address)
        await self._count_one(route, _place(address), about)

    async def check_address(self, address: str) -> None:
        """Count an attempt that is about nobody yet. Raises RateLimitError."""
        if self._options.enabled and not await self._hit("all", _place(address)):
            raise RateLimitError

    async def check_account(self, route: str, address: str, account_id: int | None, about: str) -> None:
        """The same attempt, now that the account is known: by name or by e-mail makes no difference. Where there is no
        account the name is counted once more, so that both take the same time."""
        if self._options.enabled:
            await self._count_one(route, _place(address), about if account_id is None else account_id, "account")

    async def _count_one(self, route: str, place: str, about: Hashable, *more: str) -> None:
        if not await self._hit("one", route, place, _key(about), *more):
            raise RateLimitError

    async def _hit(self, kind: Literal["one", "all"], *names: str) -> bool:
        if self._counts is None:
            await in_thread(lambda: import_module("octavo.access.authentication.attempt_counts"))
        return await self._counting().hit(kind, *names)

    def _counting(self) -> "AttemptCounts":
        """One for all, whoever came first."""
        if self._counts is None:
            from octavo.access.authentication.attempt_counts import AttemptCounts

            most: dict[Literal["one", "all"], int] = {"one": self._options.most, "all": self._options.most_by_address}
            storage = self._open_storage() if self._open_storage is not None else None
            self._counts = AttemptCounts(self._options.interval, most, storage)
        return self._counts


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
    text = fold_identifier(about) if isinstance(about, str) else f"#{about}"
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
