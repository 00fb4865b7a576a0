"""Provider logins: people sign in at a provider and come back with a session, by the steps that clients of v4 know.

1. `begin`: the browser asks for `/connect/:provider` and is sent to the provider's page.
2. `finish`: the provider sends it to `/connect/:provider/callback` with a code, for which we learn who it is; the
   browser is sent on to the front end with `access_token`.
3. `log_in`: the front end gives that back to `/auth/:provider/callback` and gets its session.

What v4 puts into the address as `access_token` is the provider's own token; ours is a ticket of two minutes, good for
one session and for nothing else. Steps 1 and 2 are tied to one browser by a cookie.
Refuses with ApplicationError and ValidationError; what a provider does wrong is told in the log alone.
"""

import asyncio
import hmac
import importlib
import logging
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final, Protocol
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from octavo.access.authentication.credentials import digest
from octavo.access.authentication.one_time_secrets import OneTimeSecrets, new_secret
from octavo.access.authentication.rate_limits import RateLimits
from octavo.accounts.users.accounts import Accounts, Session
from octavo.accounts.users.providers.catalogue import Person, Provider, ProviderFailed, make_provider
from octavo.accounts.users.providers.links import ProviderAccounts
from octavo.accounts.users.user_rows import read_object
from octavo.core.clock import SYSTEM_CLOCK, Clock
from octavo.core.errors import ApplicationError, ValidationError
from octavo.core.values import dataclass
from octavo.database.connection import Database
from octavo.query.sql.system_table_statement import OwnStatement
from octavo.settings.sign_in_providers import ProviderSettings, read_stored_provider

logger = logging.getLogger(__name__)

STATE_SECONDS: Final = 600
TICKET_SECONDS: Final = 120
_LONGEST_SUBJECT: Final = 255
_GRANT: Final = OwnStatement(
    "SELECT value FROM strapi_core_store_settings WHERE {key:name} = 'plugin_users-permissions_grant' LIMIT 1"
)
_LOST: Final = "This sign-in was not begun in this browser, is over, or took too long; please begin again"


@dataclass(frozen=True, slots=True)
class ProviderOptions:
    """What is set for providers besides what v4 has stored. `exempt`: hosts that need not be public."""

    given: Mapping[str, ProviderSettings]
    exempt: frozenset[str] = frozenset()
    public_url: str = ""
    api_prefix: str = "/api"

    @property
    def secure(self) -> bool:
        """Whether browsers reach us by https, and cookies may be kept to that."""
        return self.public_url.startswith("https:")


@dataclass(frozen=True, slots=True)
class Beginning:
    """Where the browser has to go, and the cookie that it has to come back with."""

    location: str
    cookie: str
    browser: str


@dataclass(frozen=True, slots=True)
class ProviderCallback:
    """What the browser comes back with from the provider."""

    params: Mapping[str, str]
    cookies: Mapping[str, str]


class _Client(Protocol):
    async def address(self, provider: Provider, sign_in: Any) -> str: ...
    async def person(self, provider: Provider, sign_in: Any, code: str) -> Person: ...


class ProviderLogins:
    """Sign-ins by providers. One for each process."""

    def __init__(
        self,
        database: Database,
        accounts: Accounts,
        people: ProviderAccounts,
        limits: RateLimits,
        options: ProviderOptions,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self.options = options
        self._database = database
        self._accounts = accounts
        self._people = people
        self._limits = limits
        self._clock = clock
        self._secrets = OneTimeSecrets(database, clock)
        self._library: Any = None

    async def begin(self, name: str, callback: str | None, client: str) -> Beginning:
        """Send a browser to the provider's page. `callback` asks for another address of the front end than usual."""
        provider = await self._provider(name)
        if callback is None:
            callback = provider.callbacks[0]
        elif callback not in provider.callbacks:
            raise ValidationError("Invalid callback URL provided", {"callback": callback})
        await self._limits.check_address(client)
        browser, nonce, verifier = new_secret(), new_secret(), new_secret() + new_secret()
        content = {"provider": name, "callback": callback, "nonce": nonce, "verifier": verifier}
        state = await self._secrets.keep("state", {**content, "browser": digest(browser)}, STATE_SECONDS)
        library = await self._load()
        try:
            sign_in = library.SignIn(self._redirect_uri(name), state, nonce, verifier)
            location = await library.client.address(provider, sign_in)
        except ProviderFailed as error:
            logger.error("Could not start a sign-in: %s", error)
            raise ApplicationError("This provider cannot be reached") from None
        return Beginning(location, self.cookie_of(state), browser)

    async def finish(self, name: str, came_back: ProviderCallback) -> str:
        """Where in the front end a browser has to go that comes back from the provider's page."""
        provider = await self._provider(name)
        kept = await self._state(name, came_back)
        callback = str(kept["callback"])
        if callback not in provider.callbacks:  # no longer
            raise ValidationError("Invalid callback URL provided", {"callback": callback})
        if "error" in came_back.params or "code" not in came_back.params:
            denied = came_back.params.get("error") == "access_denied"
            return _with(callback, error="access_denied" if denied else "provider_error")
        library = await self._load()
        sign_in = library.SignIn(self._redirect_uri(name), "", kept["nonce"], kept["verifier"])
        try:
            _check_issuer(provider, came_back.params.get("iss"))
            person = await library.client.person(provider, sign_in, came_back.params["code"])
            _check_subject(person)
        except ProviderFailed as error:
            logger.error("Sign-in failed: %s", error)
            return _with(callback, error="provider_error")
        ticket = await self._secrets.keep("ticket", {"provider": name, "person": asdict(person)}, TICKET_SECONDS)
        return _with(callback, access_token=ticket)

    async def log_in(self, name: str, ticket: str) -> Session:
        """The session that a ticket is good for."""
        await self._provider(name)
        if not ticket:
            raise ApplicationError("No access_token.")
        kept = await self._secrets.take("ticket", ticket)
        if kept is None or kept["provider"] != name:
            raise ApplicationError("This access_token is unknown, used or expired; sign in again")
        return self._accounts.session(await self._people.account(name, Person(**kept["person"])))

    def cookie_of(self, state: str) -> str:
        """The name of the cookie of one sign-in: several may be under way. Browsers keep `__Host-` from other hosts."""
        return f"{'__Host-' if self.options.secure else ''}octavo-sign-in-{digest(state)[:12]}"

    async def _state(self, name: str, came_back: ProviderCallback) -> dict[str, Any]:
        """What was kept for the sign-in that a browser comes back from; it is forgotten, so nobody comes back twice."""
        state = came_back.params.get("state", "")
        browser = came_back.cookies.get(self.cookie_of(state), "")
        kept = await self._secrets.take("state", state) if browser else None
        if kept is None or kept["provider"] != name or not hmac.compare_digest(digest(browser), kept["browser"]):
            raise ValidationError(_LOST)
        return kept

    async def _provider(self, name: str) -> Provider:
        """A provider as settings have it, and below those v4's administrators."""
        granted = await self._database.fetch_value(*_GRANT.bind(self._database.dialect))
        stored = read_stored_provider(read_object(granted).get(name))
        given = self.options.given.get(name, ProviderSettings()).over(stored)
        provider = make_provider(name, given, self.options.public_url)
        if provider is None:
            raise ApplicationError("This provider is disabled")
        return provider

    def _redirect_uri(self, name: str) -> str:
        return f"{self.options.public_url}{self.options.api_prefix}/connect/{quote(name, safe='')}/callback"

    async def _load(self) -> Any:
        """The module that speaks to providers, with one client; loaded beside the event loop when first needed."""
        if self._library is None:
            self._library = await asyncio.to_thread(_library, self.options.exempt, self._clock)
        return self._library


@dataclass(frozen=True, slots=True)
class _Library:
    SignIn: Any
    client: _Client


def _library(exempt: frozenset[str], clock: Clock) -> _Library:
    module = importlib.import_module("octavo.accounts.users.providers.oauth_client")
    return _Library(module.SignIn, module.OauthClient(exempt, clock))


def _check_issuer(provider: Provider, told: str | None) -> None:
    """An answer that says whose it is must say the right thing (RFC 9207)."""
    if told is not None and provider.issuer and told != provider.issuer:
        raise ProviderFailed(f"{provider.name}: the answer comes from {told!r}")


def _check_subject(person: Person) -> None:
    if not person.subject or len(person.subject) > _LONGEST_SUBJECT:
        raise ProviderFailed("the provider did not identify the user")


def _with(address: str, **params: str) -> str:
    parts = urlsplit(address)
    query = [*parse_qsl(parts.query, keep_blank_values=True), *params.items()]
    return urlunsplit(parts._replace(query=urlencode(query)))
