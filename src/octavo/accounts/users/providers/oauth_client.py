"""OAuth 2 and OpenID Connect client, by Authlib and `httpx2`.

Both take a tenth of a second to import, so this module is imported at the first sign-in. All errors of a provider
become ProviderFailed.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import httpx2
from authlib.integrations.base_client import OAuthError
from authlib.integrations.httpx_client import AsyncOAuth2Client
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from octavo.accounts.users.providers.catalogue import Provider, ProviderFailed, ProviderProfile
from octavo.core.clock import Clock
from octavo.core.net.guarded_http import GuardedTransport
from octavo.core.values import dataclass

ALGORITHMS: Final = ("RS256", "PS256", "ES256")
"""The accepted signatures of ID tokens: neither shared secrets nor unsigned tokens."""

LEEWAY: Final = 60
"""Seconds by which the provider's clock can differ."""

_REMEMBERED: Final = 3600.0
_KEYS_AGAIN: Final = 30.0
_PATIENCE: Final = 20.0
_FAILURES: Final = (
    *(OAuthError, JoseError, httpx2.HTTPError, httpx2.InvalidURL),
    *(TimeoutError, ValueError, TypeError, LookupError, AttributeError),
)

ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True)
class SignIn:
    """The state of one sign-in: its random values and the callback URL."""

    redirect_uri: str
    state: str
    nonce: str
    verifier: str


@dataclass(slots=True)
class _Issuer:
    """An issuer's discovery document and its keys."""

    document: Mapping[str, Any]
    read_at: float
    keys: KeySet | None = None
    keys_at: float = 0.0


class OauthClient:
    """Sends requests to providers. `exempt` are hosts that do not have to be public."""

    def __init__(self, exempt: frozenset[str], clock: Clock) -> None:
        self._transport = GuardedTransport(exempt)
        self._exempt = exempt
        self._clock = clock
        self._issuers: dict[str, _Issuer] = {}

    async def address(self, provider: Provider, sign_in: SignIn) -> str:
        """Return the URL of the provider's sign-in page."""
        return await _patiently(provider, lambda: self._address(provider, sign_in))

    async def person(self, provider: Provider, sign_in: SignIn, code: str) -> ProviderProfile:
        """Exchange a code for the user's identity."""
        return await _patiently(provider, lambda: self._profile(provider, sign_in, code))

    async def _address(self, provider: Provider, sign_in: SignIn) -> str:
        url, more = provider.authorize_url, {}
        if provider.issuer:
            url = str((await self._issuer(provider)).document["authorization_endpoint"])
            more = {"nonce": sign_in.nonce}
        self._check_address(url)
        client = self._client(provider, sign_in)
        made: tuple[str, str] = client.create_authorization_url(
            url, state=sign_in.state, code_verifier=sign_in.verifier, **more
        )
        return made[0]

    async def _profile(self, provider: Provider, sign_in: SignIn, code: str) -> ProviderProfile:
        issuer = await self._issuer(provider) if provider.issuer else None
        access_url = str(issuer.document["token_endpoint"]) if issuer else provider.access_url
        token = await self._client(provider, sign_in, issuer).fetch_token(
            access_url,
            grant_type="authorization_code",
            code=code,
            code_verifier=sign_in.verifier,
        )
        access_token = str(token["access_token"])
        if issuer:
            return await self._openid_profile(provider, issuer, sign_in, token, access_token)
        profile = await self._get(provider.profile_url, access_token)
        return provider.row.read(profile, await self._emails(provider, access_token))

    async def _openid_profile(
        self, provider: Provider, issuer: _Issuer, sign_in: SignIn, token: Mapping[str, Any], access_token: str
    ) -> ProviderProfile:
        claims = await self._read_id_token(provider, issuer, sign_in, token)
        endpoint = issuer.document.get("userinfo_endpoint")
        if endpoint and not claims.get("email"):
            more = await self._get(str(endpoint), access_token)
            if more.get("sub") != claims["sub"]:
                raise ProviderFailed("the user information belongs to another user")
            claims = {**more, **claims}
        return provider.row.read(claims, ())

    async def _read_id_token(
        self, provider: Provider, issuer: _Issuer, sign_in: SignIn, token: Mapping[str, Any]
    ) -> dict[str, Any]:
        decoded = await self._decode(issuer, str(token["id_token"]))
        claims = CodeIDToken(
            decoded.claims,
            decoded.header,
            options={
                "iss": {"essential": True, "value": provider.issuer},
                "aud": {"essential": True, "value": provider.key},
            },
            params={"nonce": sign_in.nonce, "client_id": provider.key, "access_token": token["access_token"]},
        )
        claims.validate(int(self._clock.wall()), LEEWAY)
        return dict(claims)

    async def _decode(self, issuer: _Issuer, id_token: str) -> jwt.Token:
        """Return the verified token. Fetches the issuer's keys again if the signing key is unknown."""
        try:
            return jwt.decode(id_token, await self._keys(issuer), ALGORITHMS)
        except (JoseError, ValueError):
            if self._clock.steady() - issuer.keys_at < _KEYS_AGAIN:
                raise
            issuer.keys = None
        return jwt.decode(id_token, await self._keys(issuer), ALGORITHMS)

    async def _keys(self, issuer: _Issuer) -> KeySet:
        if issuer.keys is None:
            keys = await self._get(str(issuer.document["jwks_uri"]))
            issuer.keys, issuer.keys_at = KeySet.import_key_set({"keys": keys["keys"]}), self._clock.steady()
        return issuer.keys

    async def _issuer(self, provider: Provider) -> _Issuer:
        known = self._issuers.get(provider.issuer)
        if known is None or self._clock.steady() - known.read_at >= _REMEMBERED:
            document = await self._get(provider.issuer.rstrip("/") + "/.well-known/openid-configuration")
            if document.get("issuer") != provider.issuer:
                raise ProviderFailed(f"the discovery document names another issuer, {document.get('issuer')!r}")
            known = self._issuers[provider.issuer] = _Issuer(document, self._clock.steady())
        return known

    async def _emails(self, provider: Provider, access_token: str) -> list[Any]:
        if not provider.emails_url:
            return []
        try:
            emails = await self._get(provider.emails_url, access_token)
        except ProviderFailed:  # not in the granted scope
            return []
        return emails if isinstance(emails, list) else []

    async def _get(self, url: str, access_token: str = "") -> Any:
        headers = {"accept": "application/json"} | ({"authorization": f"Bearer {access_token}"} if access_token else {})
        client = httpx2.AsyncClient(transport=self._transport, trust_env=False)
        response = await client.get(url, headers=headers)
        if response.status_code != httpx2.codes.OK:
            raise ProviderFailed(f"{urlsplit(url).hostname} returned {response.status_code}")
        return response.json()

    def _client(self, provider: Provider, sign_in: SignIn, issuer: _Issuer | None = None) -> Any:
        return AsyncOAuth2Client(
            provider.key,
            provider.secret or None,
            token_endpoint_auth_method=_method(provider, issuer),
            scope=provider.row.scope_separator.join(provider.scope),
            redirect_uri=sign_in.redirect_uri,
            code_challenge_method="S256",
            transport=self._transport,
            trust_env=False,
        )

    def _check_address(self, url: str) -> None:
        """Raise ProviderFailed unless the sign-in page is a web page with an allowed host."""
        parts = urlsplit(url)
        exempt = self._exempt & {parts.hostname, parts.netloc}
        if parts.scheme != "https" and not (exempt and parts.scheme == "http"):
            raise ProviderFailed("the sign-in page does not use https")


def _method(provider: Provider, issuer: _Issuer | None) -> str:
    """Return how the client authenticates: by header if the issuer supports it, otherwise in the body."""
    if not provider.secret:
        return "none"
    known = issuer.document.get("token_endpoint_auth_methods_supported") if issuer else None
    basic = issuer is not None and (not isinstance(known, list) or "client_secret_basic" in known)
    return "client_secret_basic" if basic else "client_secret_post"


async def _patiently(provider: Provider, work: Callable[[], Awaitable[ResultT]]) -> ResultT:
    try:
        async with asyncio.timeout(_PATIENCE):
            return await work()
    except ProviderFailed as error:
        raise ProviderFailed(f"{provider.name}: {error}") from None
    except _FAILURES as error:
        raise ProviderFailed(f"{provider.name}: {type(error).__name__}: {error}") from error
