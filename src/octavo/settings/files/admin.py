"""`admin.toml`: administrators."""

import re
from collections.abc import Mapping
from typing import Literal

from octavo.core.values import dataclass
from octavo.settings.keys import AT_LEAST_ONE, setting, table
from octavo.settings.values import DURATION, PATH, Kind, table_of


def _web_address(value: object) -> str:
    """Validate a web URL. Placeholders for values of entries are in braces, after the host."""
    if not isinstance(value, str) or not re.fullmatch(r"https?://[^\s/?#{}@;,]+([/?#]\S*)?", value):
        raise ValueError
    return value


_PREVIEWS = table_of(Kind("a URL such as https://example.org/articles/{slug}", _web_address, _web_address), "addresses")


@dataclass(frozen=True, slots=True, kw_only=True)
class AdminAuth:
    """Sessions of administrators."""

    access_lifespan: int = setting(
        1800, "How long an access token is valid.", kind=DURATION, bounds=(60, 86400), default_doc="30m"
    )
    session_lifespan: int = setting(
        14 * 86400, "How long a session lasts.", kind=DURATION, bounds=(60, None), default_doc="14d"
    )
    reset_lifespan: int = setting(
        3600,
        "How long the token in a password reset email is valid.",
        kind=DURATION,
        bounds=(60, 86400),
        default_doc="1h",
    )
    invitation_lifespan: int = setting(
        7 * 86400, "How long an invitation is valid.", kind=DURATION, bounds=(60, None), default_doc="7d"
    )
    secure_cookie: Literal["auto", "always", "never"] = setting(
        "auto", "Send the session cookie over HTTPS only; `auto`: outside development."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AdminRateLimit:
    """Rate limits of sign-in, registration and password resets; counted in the same place as those of users."""

    enabled: bool = setting(True, "Limit attempts at sign-in, registration and password routes of administrators.")
    interval: int = setting(
        300, "Period over which attempts are counted.", kind=DURATION, bounds=AT_LEAST_ONE, default_doc="5m"
    )
    max: int = setting(5, "Maximum attempts per period at one account from one address.", bounds=AT_LEAST_ONE)
    max_by_address: int = setting(50, "Maximum attempts per period from one address.", bounds=AT_LEAST_ONE)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdminAudit:
    """The audit log of administrators' actions, for `octavo audit`."""

    keep: int = setting(
        90 * 86400,
        "How long the audit log is stored, within `rows`.",
        kind=DURATION,
        bounds=AT_LEAST_ONE,
        default_doc="90d",
    )
    rows: int = setting(100_000, "Maximum number of rows of the audit log.", bounds=AT_LEAST_ONE)


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstAdministrator:
    """The first administrator, created at startup if there is none. Set both values, preferably by variables."""

    email: str | None = setting(None, "Email address.")
    password: str | None = setting(None, "Password.", secret=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Admin:
    """Administrators."""

    auth: AdminAuth = table(AdminAuth, "Sessions of administrators; shorten them if your security policy requires it.")
    rate_limit: AdminRateLimit = table(AdminRateLimit, "Limits on sign-in attempts of administrators.")
    audit: AdminAudit = table(AdminAudit, "The [audit log](administrators.md#audit-log) of administrators.")
    panel: Literal["octavo", "project", "off"] = setting(
        "octavo", "Admin pages: Octavo's own, the v4 panel that the project has built, or none."
    )
    path: str = setting("/admin", "Path of the pages.", kind=PATH)
    preview: Mapping[str, str] = setting(
        {},
        'Preview URLs of entries, by content type, such as `"api::article.article" = '
        '"https://example.org/articles/{slug}?state={state}"`. `{id}`, `{locale}`, `{state}` (`draft`, '
        "`published`) and attributes are replaced with the entry's values, and `{code}` with a one-time code for a "
        "[preview token](guides/preview.md#preview-with-a-code).",
        kind=_PREVIEWS,
    )
    first: FirstAdministrator = table(
        FirstAdministrator,
        "The first administrator, created at a start if there is none, for automatic deployments. Set both in the "
        "environment.",
    )
