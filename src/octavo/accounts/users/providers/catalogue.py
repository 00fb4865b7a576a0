"""The built-in sign-in providers: their URLs, and how their responses are read. No requests are sent here.

A provider with an issuer uses OpenID Connect; its URLs come from the issuer's discovery document. The others have URLs
here, which settings can override (for GitHub Enterprise, for example).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, Final
from urllib.parse import urlsplit

from octavo.core.values import dataclass
from octavo.settings.sign_in_providers import ProviderSettings

Claims = Mapping[str, Any]


class ProviderFailed(Exception):
    """A provider is unavailable or sent an invalid response. The message is for the log."""


@dataclass(frozen=True, slots=True)
class ProviderProfile:
    """A user as identified by a provider. `verified`: whether the email address is verified; None if unknown."""

    subject: str
    email: str
    verified: bool | None
    username: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A built-in provider. `{subdomain}` is replaced by that setting."""

    scope: tuple[str, ...]
    read: Callable[[Claims, Sequence[Claims]], ProviderProfile]
    issuer: str = ""
    authorize_url: str = ""
    access_url: str = ""
    profile_url: str = ""
    emails_url: str = ""
    scope_separator: str = " "


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """A provider ready for use: its row and the project's settings."""

    name: str
    row: Row
    key: str
    secret: str = field(repr=False)
    callbacks: tuple[str, ...] = ()
    scope: tuple[str, ...] = ()
    issuer: str = ""
    authorize_url: str = ""
    access_url: str = ""
    profile_url: str = ""
    emails_url: str = ""


def _text(value: Any) -> str:
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _flag(value: Any) -> bool | None:
    """Parse a flag; some providers send flags as text."""
    return {"true": True, "false": False}.get(str(value).lower())


def _before_at(email: str) -> str:
    return email.partition("@")[0]


def _openid(profile: Claims, _: Sequence[Claims]) -> ProviderProfile:
    email = _text(profile.get("email"))
    names = (_text(profile.get(name)) for name in ("preferred_username", "nickname", "name"))
    username = next(filter(None, names), _before_at(email))
    return ProviderProfile(_text(profile.get("sub")), email, _flag(profile.get("email_verified")), username)


def _google(profile: Claims, _: Sequence[Claims]) -> ProviderProfile:
    email = _text(profile.get("email"))
    return ProviderProfile(_text(profile.get("sub")), email, _flag(profile.get("email_verified")), _before_at(email))


def _azure(profile: Claims, _: Sequence[Claims]) -> ProviderProfile:
    """Read a profile of a single tenant, which is responsible for its own email addresses."""
    email = _text(profile.get("email")) or _text(profile.get("preferred_username"))
    verified = _flag(profile.get("email_verified")) is not False
    return ProviderProfile(
        _text(profile.get("sub")), email, verified, _text(profile.get("preferred_username")) or _before_at(email)
    )


def _microsoft(profile: Claims, _: Sequence[Claims]) -> ProviderProfile:
    """Read a profile. Microsoft verifies the principal name's domain; a tenant can set `mail` to anything."""
    name = _text(profile.get("userPrincipalName"))
    return ProviderProfile(_text(profile.get("id")), name, True, name)


def _github(profile: Claims, emails: Sequence[Claims]) -> ProviderProfile:
    primary = next((email for email in emails if email.get("primary")), None)
    verified = True if primary is None else _flag(primary.get("verified"))  # public addresses are verified
    email = _text(profile.get("email")) if primary is None else _text(primary.get("email"))
    return ProviderProfile(_text(profile.get("id")), email, verified, _text(profile.get("login")))


def _facebook(profile: Claims, _: Sequence[Claims]) -> ProviderProfile:
    """Read a profile. Facebook only returns verified addresses."""
    return ProviderProfile(_text(profile.get("id")), _text(profile.get("email")), True, _text(profile.get("name")))


def _discord(profile: Claims, _: Sequence[Claims]) -> ProviderProfile:
    name, number = _text(profile.get("username")), _text(profile.get("discriminator"))
    username = f"{name}#{number}" if number not in ("", "0") else name
    return ProviderProfile(
        _text(profile.get("id")), _text(profile.get("email")), _flag(profile.get("verified")), username
    )


OPENID: Final = Row(scope=("openid", "email", "profile"), read=_openid)

_MICROSOFT: Final = "https://login.microsoftonline.com"

ROWS: Final[Mapping[str, Row]] = {
    "google": Row(issuer="https://accounts.google.com", scope=("openid", "email"), read=_google),
    "auth0": Row(issuer="https://{subdomain}.auth0.com/", scope=OPENID.scope, read=_openid),
    "keycloak": Row(issuer="https://{subdomain}", scope=OPENID.scope, read=_openid),
    "azure": Row(issuer=_MICROSOFT + "/{subdomain}/v2.0", scope=OPENID.scope, read=_azure),
    "microsoft": Row(
        authorize_url=f"{_MICROSOFT}/common/oauth2/v2.0/authorize",
        access_url=f"{_MICROSOFT}/common/oauth2/v2.0/token",
        profile_url="https://graph.microsoft.com/v1.0/me",
        scope=("user.read",),
        read=_microsoft,
    ),
    "github": Row(
        authorize_url="https://github.com/login/oauth/authorize",
        access_url="https://github.com/login/oauth/access_token",
        profile_url="https://api.github.com/user",
        emails_url="/emails",
        scope=("read:user", "user:email"),
        read=_github,
    ),
    "facebook": Row(
        authorize_url="https://www.facebook.com/dialog/oauth",
        access_url="https://graph.facebook.com/oauth/access_token",
        profile_url="https://graph.facebook.com/me?fields=id,name,email",
        scope=("email",),
        scope_separator=",",
        read=_facebook,
    ),
    "discord": Row(
        authorize_url="https://discord.com/oauth2/authorize",
        access_url="https://discord.com/api/oauth2/token",
        profile_url="https://discord.com/api/users/@me",
        scope=("identify", "email"),
        read=_discord,
    ),
}
"""The providers known by name. Other names need an `issuer` and use OpenID Connect."""


def make_provider(name: str, given: ProviderSettings, public_url: str) -> Provider | None:
    """Return a configured provider; None if it is disabled or a required setting is missing."""
    row = ROWS.get(name, OPENID)
    issuer = given.issuer or row.issuer.format(subdomain=given.subdomain or "")
    if given.issuer and not row.issuer:
        row = OPENID
    incomplete = "{subdomain}" in row.issuer and not (given.issuer or given.subdomain)
    if not given.enabled or not given.key or incomplete or (row is OPENID and not issuer):
        return None
    scope = given.scope or row.scope
    profile_url = given.profile_url or row.profile_url
    return Provider(
        name=name,
        row=row,
        key=given.key,
        secret=given.secret or "",
        callbacks=tuple(_absolute(callback, public_url) for callback in _callbacks(name, given)),
        scope=("openid", *scope) if issuer and "openid" not in scope else scope,
        issuer=issuer,
        authorize_url=given.authorize_url or row.authorize_url,
        access_url=given.access_url or row.access_url,
        profile_url=profile_url,
        emails_url=profile_url + row.emails_url if row.emails_url else "",
    )


def _callbacks(name: str, given: ProviderSettings) -> tuple[str, ...]:
    return (given.callback or f"api/auth/{name}/callback", *(given.callbacks or ()))


def _absolute(callback: str, public_url: str) -> str:
    """Return an absolute URL. v4 stores its own paths without the leading slash."""
    return callback if urlsplit(callback).scheme else f"{public_url}/{callback.lstrip('/')}"
