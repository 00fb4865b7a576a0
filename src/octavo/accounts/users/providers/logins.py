"""Sign-in with providers, in the steps that v4 clients use.

1. `begin`: the browser requests `/connect/:provider` and is redirected to the provider's page.
2. `finish`: the provider redirects it to `/connect/:provider/callback` with a code, which Octavo exchanges for the
   user's identity. The browser is then redirected to the front end with `access_token`.
3. `log_in`: the front end sends that to `/auth/:provider/callback` and gets a session.

In v4, `access_token` is the provider's own token. Octavo sends a ticket instead that is valid for two minutes and for
one session. A cookie binds steps 1 and 2 to one browser.
Raises ApplicationError and ValidationError; errors of the provider are only logged.
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
from octavo.access.authentication.sign_in_limits import SignInLimits
from octavo.accounts.users.accounts import Accounts, Session
from octavo.accounts.users.providers.catalogue import Provider, ProviderFailed, ProviderProfile, make_provider
from octavo.accounts.users.providers.links import ProviderAccounts
from octavo.accounts.users.user_rows import read_object
from octavo.core.clock import SYSTEM_CLOCK, Clock
from octavo.core.errors import ApplicationError, ValidationError
from octavo.core.values import dataclass
from octavo.database.connection import Database
from octavo.query.sql.raw_statement import RawStatement
from octavo.settings.sign_in_providers import ProviderSettings, read_stored_provider

logger = logging.getLogger(__name__)

STATE_SECONDS: Final = 600
TICKET_SECONDS: Final = 120
_LONGEST_SUBJECT: Final = 255
_GRANT: Final = RawStatement(
    "SELECT value FROM strapi_core_store_settings WHERE {key:name} = 'plugin_users-permissions_grant' LIMIT 1"
)
_LOST: Final = "This sign-in was started in another browser, was completed, or expired. Start again"


@dataclass(frozen=True, slots=True)
class ProviderOptions:
    """Settings for providers besides those stored by v4. `exempt`: hosts that do not have to be public."""

    given: Mapping[str, ProviderSettings]
    exempt: frozenset[str] = frozenset()
    public_url: str = ""
    api_prefix: str = "/api"

    @property
    def secure(self) -> bool:
        """Whether the public URL uses HTTPS, so cookies can be secure."""
        return self.public_url.startswith("https:")


@dataclass(frozen=True, slots=True)
class LoginRedirect:
    """The URL to redirect the browser to, and the cookie that it has to return with."""

    location: str
    cookie: str
    browser: str


@dataclass(frozen=True, slots=True)
class ProviderCallback:
    """The parameters and cookies of the browser's request when it returns from the provider."""

    params: Mapping[str, str]
    cookies: Mapping[str, str]


class _Client(Protocol):
    async def address(self, provider: Provider, sign_in: Any) -> str: ...
    async def person(self, provider: Provider, sign_in: Any, code: str) -> ProviderProfile: ...


class ProviderLogins:
    """Signs users in with providers. Create one per process."""

    def __init__(
        self,
        database: Database,
        accounts: Accounts,
        provider_accounts: ProviderAccounts,
        limits: SignInLimits,
        options: ProviderOptions,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self.options = options
        self._database = database
        self._accounts = accounts
        self._provider_accounts = provider_accounts
        self._limits = limits
        self._clock = clock
        self._secrets = OneTimeSecrets(database, clock)
        self._library: Any = None

    async def begin(self, name: str, callback: str | None, client: str) -> LoginRedirect:
        """Redirect a browser to the provider. `callback` selects another configured front-end URL."""
        provider = await self._provider(name)
        if callback is None:
            callback = provider.callbacks[0]
        elif callback not in provider.callbacks:
            raise ValidationError("Invalid callback URL provided", {"callback": callback})
        await self._limits.check_address("connect", client)
        browser, nonce, verifier = new_secret(), new_secret(), new_secret() + new_secret()
        content = {"provider": name, "callback": callback, "nonce": nonce, "verifier": verifier}
        state = await self._secrets.keep("state", {**content, "browser": digest(browser)}, STATE_SECONDS)
        library = await self._load()
        try:
            sign_in = library.SignIn(self._redirect_uri(name), state, nonce, verifier)
            location = await library.client.address(provider, sign_in)
        except ProviderFailed as error:
            logger.error("Could not start a sign-in: %s", error)
            raise ApplicationError("The provider cannot be reached") from None
        return LoginRedirect(location, self.cookie_of(state), browser)

    async def finish(self, name: str, came_back: ProviderCallback) -> str:
        """Return the front-end URL for a browser that returns from the provider."""
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
        """Exchange a ticket for a session."""
        await self._provider(name)
        if not ticket:
            raise ApplicationError("No access_token.")
        kept = await self._secrets.take("ticket", ticket)
        if kept is None or kept["provider"] != name:
            raise ApplicationError("This access_token is unknown, used or expired; sign in again")
        return self._accounts.session(await self._provider_accounts.account(name, ProviderProfile(**kept["person"])))

    def cookie_of(self, state: str) -> str:
        """Return the cookie name of one sign-in; several can be in progress. `__Host-` protects it from other hosts."""
        return f"{'__Host-' if self.options.secure else ''}octavo-sign-in-{digest(state)[:12]}"

    async def _state(self, name: str, came_back: ProviderCallback) -> dict[str, Any]:
        """Return and delete the stored state of a sign-in, so that a callback works only once."""
        state = came_back.params.get("state", "")
        browser = came_back.cookies.get(self.cookie_of(state), "")
        kept = await self._secrets.take("state", state) if browser else None
        if kept is None or kept["provider"] != name or not hmac.compare_digest(digest(browser), kept["browser"]):
            raise ValidationError(_LOST)
        return kept

    async def _provider(self, name: str) -> Provider:
        """Return a provider with the project's settings, which override those stored by v4."""
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
        """Return the OAuth client; imported in a thread on first use."""
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


def _check_issuer(provider: Provider, issuer: str | None) -> None:
    """Raise ProviderFailed if a response names another issuer (RFC 9207)."""
    if issuer is not None and provider.issuer and issuer != provider.issuer:
        raise ProviderFailed(f"{provider.name}: the response comes from the issuer {issuer!r}")


def _check_subject(person: ProviderProfile) -> None:
    if not person.subject or len(person.subject) > _LONGEST_SUBJECT:
        raise ProviderFailed("the provider did not identify the user")


def _with(address: str, **params: str) -> str:
    parts = urlsplit(address)
    query = [*parse_qsl(parts.query, keep_blank_values=True), *params.items()]
    return urlunsplit(parts._replace(query=urlencode(query)))
