"""Rate limits for sign-in attempts: by route, client address and account, and by client address alone.

Attempts are counted under a route name shared by REST and GraphQL, so neither another spelling of a path nor another
API bypasses the limits. Raises `RateLimitError`.
"""

from collections.abc import Callable, Hashable
from hashlib import blake2b
from importlib import import_module
from ipaddress import AddressValueError, IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING, Final, Literal

from octavo.access.authentication.sign_in_log import AccountKind, report_limited_sign_in
from octavo.core.errors import RateLimitError
from octavo.core.text_limits import fold_identifier
from octavo.core.threads import in_thread
from octavo.core.values import dataclass
from octavo.query.sql.ddl.tables import SystemTable

if TYPE_CHECKING:
    from limits.aio.storage import Storage

    from octavo.access.authentication.attempt_counts import AttemptCounts

TABLE: Final = SystemTable(
    "octavo_rate_limits",
    ("name varchar(255) PRIMARY KEY NOT NULL", "hits integer NOT NULL", "expires_at bigint NOT NULL"),
    kept=True,
)


@dataclass(frozen=True, slots=True)
class SignInLimitOptions:
    """Allow `most` attempts for one account and `most_by_address` in total per client address in `interval` seconds."""

    enabled: bool = True
    interval: int = 300
    most: int = 5
    most_by_address: int = 50


class SignInLimits:
    """Counts attempts, in memory unless `open_storage` opens a shared storage.

    `account` is the kind of accounts, for the log. The counting library is loaded in a thread at the first attempt: a
    service without sign-ins uses 3 MB less.
    """

    def __init__(
        self,
        options: SignInLimitOptions,
        open_storage: "Callable[[], Storage] | None" = None,
        account: AccountKind = "user",
    ) -> None:
        self._options = options
        self._account = account
        self._open_storage = open_storage
        self._counts: AttemptCounts | None = None

    async def check(self, route: str, address: str, about: Hashable = "") -> None:
        """Count an attempt for an account, given as its name or id (`about`). Raises RateLimitError."""
        if not self._options.enabled:
            return
        await self.check_address(route, address)
        await self._count_one(route, address, about)

    async def check_address(self, route: str, address: str) -> None:
        """Count an attempt that does not name an account yet. Raises RateLimitError."""
        if self._options.enabled and not await self._hit("all", _place(address)):
            raise self._refusal(route, address)

    async def check_account(self, route: str, address: str, account_id: int | None, about: str) -> None:
        """Count the attempt for the account found, so that all names which the database finds it by share one limit:
        the username and the email address, and other spellings that a collation regards as equal.

        Without an account the name is counted again, so that both cases take the same time.
        """
        if self._options.enabled:
            await self._count_one(route, address, about if account_id is None else account_id, "account")

    async def _count_one(self, route: str, address: str, about: Hashable, *more: str) -> None:
        if not await self._hit("one", route, _place(address), _key(about), *more):
            raise self._refusal(route, address)

    def _refusal(self, route: str, address: str) -> RateLimitError:
        report_limited_sign_in(self._account, address, route)
        return RateLimitError()

    async def _hit(self, kind: Literal["one", "all"], *names: str) -> bool:
        if self._counts is None:
            await in_thread(lambda: import_module("octavo.access.authentication.attempt_counts"))
        return await self._counting().hit(kind, *names)

    def _counting(self) -> "AttemptCounts":
        """Return the shared counters; created on first use."""
        if self._counts is None:
            from octavo.access.authentication.attempt_counts import AttemptCounts

            most: dict[Literal["one", "all"], int] = {"one": self._options.most, "all": self._options.most_by_address}
            storage = self._open_storage() if self._open_storage is not None else None
            self._counts = AttemptCounts(self._options.interval, most, storage)
        return self._counts


def _place(address: str) -> str:
    """Return the address to count; for IPv6 the network that one customer is assigned."""
    try:
        address_value: IPv4Address | IPv6Address = ip_address(address.partition("%")[0])
    except (AddressValueError, ValueError):
        return _key(address)
    if isinstance(address_value, IPv6Address):
        return str(address_value.ipv4_mapped or IPv6Network((address_value, 64), strict=False).network_address)
    return str(address_value)


def _key(about: Hashable) -> str:
    """Return a short key for an account name or id; all spellings of a name have the same key."""
    text = fold_identifier(about) if isinstance(about, str) else f"#{about}"
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
