"""Count and log failed sign-ins, for administrators and for programs that block addresses.

A line contains the client's address and, if the account exists, its name. It never contains what the client entered,
which can be a password in the wrong field. Each address gets at most one line a second, all addresses together ten.
"""

import logging
from ipaddress import ip_address
from typing import Final, Literal, TypeAlias

from octavo.core.counters import FAILED_SIGN_INS, LIMITED_SIGN_INS
from octavo.core.outage_log import LogFolding

AccountKind: TypeAlias = Literal["administrator", "user", "api_token"]

LOGGER: Final = logging.getLogger("octavo.sign_in")
"""Its name is part of the documented format."""
_FOLDING: Final = LogFolding(most=10)
_LONGEST_NAME: Final = 100
_WORDS: Final[dict[AccountKind, str]] = {"administrator": "administrator", "user": "user", "api_token": "API token"}


def report_failed_sign_in(account: AccountKind, address: str, name: str | None = None) -> None:
    """Report wrong credentials for a kind of account. `name` is that of an existing account, from the database."""
    FAILED_SIGN_INS.add(account)
    words = _WORDS[account]
    fields = {"event.name": "sign_in_failed"} | ({} if name is None else {"user.name": name[:_LONGEST_NAME]})
    _log(
        account, "failed", address, f"unknown {words}" if name is None else f"{words} {name[:_LONGEST_NAME]!r}", fields
    )


def report_expired_token(address: str, token_id: int | None) -> None:
    """Report a request with an API token that has expired."""
    FAILED_SIGN_INS.add("api_token")
    fields = {"event.name": "sign_in_failed", "api_token.id": str(token_id)}
    _log("api_token", "failed", address, f"expired API token with the ID {token_id}", fields)


def report_limited_sign_in(account: AccountKind, address: str, route: str) -> None:
    """Report an attempt above a rate limit."""
    LIMITED_SIGN_INS.add(account)
    _log(account, "refused", address, f"too many attempts ({route})", {"event.name": "sign_in_limited"})


def _log(account: AccountKind, result: str, address: str, reason: str, fields: dict[str, str]) -> None:
    """Log the address first: names can contain text that looks like one."""
    known = readable_address(address)
    addition = _FOLDING.addition((account, result, known))
    if addition is not None:
        extra = {"fields": fields | {"client.address": known}}
        LOGGER.warning("Sign-in %s from %s: %s%s", result, known, reason, addition, extra=extra)


def readable_address(address: str) -> str:
    """Return an IP address, or `unknown`: proxies can forward any text."""
    try:
        return str(ip_address(address.partition("%")[0]))
    except ValueError:
        return "unknown"
