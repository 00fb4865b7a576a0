"""`plugins.toml`, `[users-permissions]`: users, roles, tokens and rate limits."""

from collections.abc import Mapping
from typing import Any, Literal

from octavo.core.values import dataclass
from octavo.settings.keys import AT_LEAST_ONE, setting, table
from octavo.settings.values import DURATION


@dataclass(frozen=True, slots=True, kw_only=True)
class Jwt:
    """Tokens of users."""

    expires_in: int = setting(
        30 * 86400, "How long a user's token is valid.", kind=DURATION, bounds=AT_LEAST_ONE, default_doc="30d"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimit:
    """Limits on login, registration and password routes."""

    enabled: bool = setting(True, "Limit attempts at sign-in, registration and password routes.")
    interval: int = setting(
        300, "Period over which attempts are counted.", kind=DURATION, bounds=AT_LEAST_ONE, default_doc="5m"
    )
    max: int = setting(5, "Maximum attempts per period at one account from one address.", bounds=AT_LEAST_ONE)
    max_by_address: int = setting(50, "Maximum attempts per period from one address.", bounds=AT_LEAST_ONE)
    store: Literal["auto", "memory", "database", "redis"] = setting(
        "auto", "Where attempts are counted; `auto`: in the database, or in memory for one worker on SQLite."
    )
    url: str | None = setting(
        None,
        'URL of Redis or Valkey, `redis://host:6379/0`, for `store = "redis"`.',
        variable="REDIS_URL",
        secret=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Register:
    """Registration of users."""

    allowed_fields: tuple[str, ...] | None = setting(
        None,
        "Attributes of users that registration can set, besides name, email and password.",
        default_doc="those that the rule `compat.registrationFields` allows",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Sessions:
    """Refresh tokens."""

    access_token_lifespan: int = setting(
        600, "How long an access token is valid.", kind=DURATION, bounds=AT_LEAST_ONE, default_doc="10m"
    )
    idle_refresh_token_lifespan: int = setting(
        14 * 86400, "How long an unused session lasts.", kind=DURATION, bounds=AT_LEAST_ONE, default_doc="14d"
    )
    max_refresh_token_lifespan: int = setting(
        30 * 86400, "Maximum duration of a session.", kind=DURATION, bounds=AT_LEAST_ONE, default_doc="30d"
    )
    http_only: bool = setting(False, "Send refresh tokens in a cookie that scripts cannot read, instead of the body.")
    same_site: Literal["strict", "lax", "none"] = setting(
        "strict",
        "`SameSite` of the cookie; `none` for a front end on another site, which must be in "
        "`middlewares.cors.origins`.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class UsersPermissionsConfig:
    """Users, roles and tokens."""

    jwt_secret: str | None = setting(None, "Secret that signs users' tokens.", variable="JWT_SECRET", secret=True)
    jwt: Jwt = table(Jwt, "Tokens of users.")
    ratelimit: RateLimit = table(RateLimit, "Limits on attempts.")
    register: Register = table(Register, "Registration of users.")
    jwt_management: Literal["legacy-support", "refresh"] = setting(
        "legacy-support",
        "`refresh`: short access tokens, with refresh tokens to renew them; `legacy-support`: one token, as in v4.",
    )
    sessions: Sessions = table(Sessions, "Refresh tokens, if `jwtManagement` is `refresh`.")
    providers: Mapping[str, Mapping[str, Any]] = setting(
        {}, "Sign-in providers, by name; see docs/accounts.md.", secret=True
    )
    private_hosts: tuple[str, ...] = setting(
        (), "Hosts of providers (`name` or `name:port`) that can have private addresses and plain HTTP."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class UsersPermissions:
    """The users and permissions plugin."""

    enabled: bool = setting(True, "Use the plugin.")
    config: UsersPermissionsConfig = table(UsersPermissionsConfig)
