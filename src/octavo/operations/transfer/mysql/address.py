"""Addresses of MySQL databases: URLs, encryption and time zones."""

import os
import re
import ssl
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any, Final, Literal, cast
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from octavo.core.net.encryption_modes import read_encryption
from octavo.core.values import dataclass

MYSQL_PREFIXES: Final = ("mysql://", "mariadb://")
PASSWORD_VARIABLE: Final = "MYSQL_PWD"

SslMode = Literal["disable", "prefer", "require", "verify-ca", "verify-full"]
_PORT: Final = 3306
_EXPECTED: Final = "expected a URL such as mysql://user@host:3306/name"
_OFFSET: Final = re.compile(r"([+-])(0\d|1[0-4]):?([0-5]\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class MysqlAddress:
    """The location of a database, and how to sign in. `socket` is the path of a socket file, used instead of `host`."""

    host: str
    port: int
    name: str
    user: str | None
    password: str | None
    socket: str | None
    encryption: SslMode

    def __str__(self) -> str:
        """Return the address for display, without the password."""
        return f"MySQL at {self.socket or f'{self.host}:{self.port}'}, database {self.name}"

    def parameters(self) -> dict[str, Any]:
        """Return the parameters of the driver that serves MySQL."""
        return {
            "host": self.socket or self.host,
            "port": self.port,
            "user": self.user,
            "password": self.password,
            "database": self.name,
            "ssl": self.encryption,
        }

    def ssl_contexts(self) -> tuple[ssl.SSLContext | None, ...]:
        """Return the TLS settings to try, in order; None means no encryption."""
        if self.socket is not None or self.encryption == "disable":
            return (None,)
        context = ssl.create_default_context()
        context.check_hostname = self.encryption == "verify-full"
        if not self.encryption.startswith("verify"):
            context.verify_mode = ssl.CERT_NONE
        return (context, None) if self.encryption == "prefer" else (context,)


def read_address(url: str, environment: Mapping[str, str] = os.environ) -> MysqlAddress:
    """Parse `mysql://user:password@host:port/name?ssl=MODE&socket=PATH`; without a password, `MYSQL_PWD` applies.

    Raises ValueError, whose message never contains the URL.
    """
    try:
        parts = urlsplit(url)
        port = parts.port or _PORT
    except ValueError:
        raise ValueError(_EXPECTED) from None
    name = unquote(parts.path[1:])
    if not name or "/" in name:
        raise ValueError(f"{_EXPECTED}: the name of the database is missing")
    parameters = {key: values[-1] for key, values in parse_qs(parts.query).items()}
    return MysqlAddress(
        host=parts.hostname or "localhost",
        port=port,
        name=name,
        user=_user_info(parts, "username"),
        password=_user_info(parts, "password") or environment.get(PASSWORD_VARIABLE),
        socket=parameters.get("socket"),
        encryption=cast(SslMode, read_encryption(parameters) or "prefer"),
    )


def _user_info(parts: SplitResult, key: str) -> str | None:
    value = getattr(parts, key)
    return unquote(value) if value else None


def read_zone(name: str) -> tzinfo:
    """Return a time zone by its name (`Europe/Berlin`) or offset (`+02:00`, `Z`). Raises ValueError.

    Zones that are the same as UTC at all times, such as Etc/UTC, are returned as UTC.
    """
    if name.upper() in ("Z", "UTC"):
        return UTC
    offset = _OFFSET.fullmatch(name)
    if offset is not None:
        minutes = int(offset[2]) * 60 + int(offset[3])
        return timezone(timedelta(minutes=-minutes if offset[1] == "-" else minutes))
    try:
        zone = ZoneInfo(name)
        return UTC if _is_utc(zone) else zone
    except (ZoneInfoNotFoundError, OSError, ValueError):
        raise ValueError(
            f"unknown time zone {name!r}; use a name such as Europe/Berlin, or an offset such as +02:00"
        ) from None


def _is_utc(zone: tzinfo) -> bool:
    days = (datetime(year, month, 1, tzinfo=zone) for year in range(1800, 2200) for month in (1, 7))
    return not any(day.utcoffset() for day in days)
