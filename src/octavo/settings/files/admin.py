"""`admin.toml`: administrators."""

from dataclasses import dataclass
from typing import Literal

from octavo.settings.keys import setting, table
from octavo.settings.values import DURATION, PATH


@dataclass(frozen=True, slots=True, kw_only=True)
class AdminAuth:
    """Sessions of administrators."""

    access_lifespan: int = setting(
        1800, "How long an access token is valid.", kind=DURATION, bounds=(60, 86400), default_doc="30m"
    )
    session_lifespan: int = setting(
        14 * 86400, "How long a session lasts.", kind=DURATION, bounds=(60, None), default_doc="14d"
    )
    secure_cookie: Literal["auto", "always", "never"] = setting(
        "auto", "Have browsers send the cookie of a session over HTTPS only; `auto`: outside development."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstAdministrator:
    """The first administrator, made at a start when there is none; both or neither, best from the environment."""

    email: str | None = setting(None, "Address.")
    password: str | None = setting(None, "Password.", secret=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Admin:
    """Administrators."""

    auth: AdminAuth = table(AdminAuth, "Sessions.")
    panel: Literal["project", "off"] = setting(
        "project", "Pages for administrators: the project's own built panel of v4, where it has one, or none."
    )
    path: str = setting("/admin", "Where the pages are.", kind=PATH)
    first: FirstAdministrator = table(FirstAdministrator, "The first one, made at a start when there is none.")
