"""Providers of sign-ins, as rows of a table: where each is asked, and how what it tells of a person is read.

A provider with an issuer speaks OpenID Connect; its addresses come from the issuer's own description. The others have
addresses here, which settings may replace (GitHub Enterprise, say). No network in this module.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, Final
from urllib.parse import urlsplit

from octavo.core.values import dataclass
from octavo.settings.sign_in_providers import ProviderSettings

Told = Mapping[str, Any]


class ProviderFailed(Exception):
    """A provider could not be asked, or has told what must not be believed. The text is for the log."""


@dataclass(frozen=True, slots=True)
class Person:
    """Whom a provider has recognised. `verified`: whether it knows the address to be theirs; None: not said."""

    subject: str
    email: str
    verified: bool | None
    username: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What we know of a provider. `{subdomain}` stands for that setting."""

    scope: tuple[str, ...]
    read: Callable[[Told, Sequence[Told]], Person]
    issuer: str = ""
    authorize_url: str = ""
    access_url: str = ""
    profile_url: str = ""
    emails_url: str = ""
    scope_separator: str = " "


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """A provider ready for use: its row, and what the operator has set."""

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
    """Some providers send flags as texts."""
    return {"true": True, "false": False}.get(str(value).lower())


def _before_at(email: str) -> str:
    return email.partition("@")[0]


def _openid(told: Told, _: Sequence[Told]) -> Person:
    email = _text(told.get("email"))
    names = (_text(told.get(name)) for name in ("preferred_username", "nickname", "name"))
    username = next(filter(None, names), _before_at(email))
    return Person(_text(told.get("sub")), email, _flag(told.get("email_verified")), username)


def _google(told: Told, _: Sequence[Told]) -> Person:
    email = _text(told.get("email"))
    return Person(_text(told.get("sub")), email, _flag(told.get("email_verified")), _before_at(email))


def _azure(told: Told, _: Sequence[Told]) -> Person:
    """One tenant: whoever runs it answers for its addresses."""
    email = _text(told.get("email")) or _text(told.get("preferred_username"))
    verified = _flag(told.get("email_verified")) is not False
    return Person(_text(told.get("sub")), email, verified, _text(told.get("preferred_username")) or _before_at(email))


def _microsoft(told: Told, _: Sequence[Told]) -> Person:
    """The principal name, whose domain Microsoft has checked; `mail` can be anything that a tenant likes."""
    name = _text(told.get("userPrincipalName"))
    return Person(_text(told.get("id")), name, True, name)


def _github(told: Told, emails: Sequence[Told]) -> Person:
    primary = next((email for email in emails if email.get("primary")), None)
    verified = True if primary is None else _flag(primary.get("verified"))  # a public address has been verified
    email = _text(told.get("email")) if primary is None else _text(primary.get("email"))
    return Person(_text(told.get("id")), email, verified, _text(told.get("login")))


def _facebook(told: Told, _: Sequence[Told]) -> Person:
    """Facebook tells only addresses that were confirmed."""
    return Person(_text(told.get("id")), _text(told.get("email")), True, _text(told.get("name")))


def _discord(told: Told, _: Sequence[Told]) -> Person:
    name, number = _text(told.get("username")), _text(told.get("discriminator"))
    username = f"{name}#{number}" if number not in ("", "0") else name
    return Person(_text(told.get("id")), _text(told.get("email")), _flag(told.get("verified")), username)


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
"""The providers that are known by name. Any other name needs an `issuer`, and speaks OpenID Connect."""


def make_provider(name: str, given: ProviderSettings, public_url: str) -> Provider | None:
    """A provider as it is set; None when it is not enabled, or when what it needs is missing."""
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
    """v4 stores paths of its own as they are, without the slash that they begin with."""
    return callback if urlsplit(callback).scheme else f"{public_url}/{callback.lstrip('/')}"
