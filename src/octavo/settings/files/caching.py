"""`api.toml`, the table `caching`: caching headers of responses, and purging of CDNs."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from octavo.core.cache_control import read_cache_control, shared_directives
from octavo.core.values import dataclass
from octavo.settings.keys import setting, table
from octavo.settings.values import FREE_TABLE, MILLISECONDS, SIZE, TABLES, TEXTS, Kind, Misplaced, quoted

VISITORS: Final = ("public", "*")
"""The roles whose responses shared caches may store."""

_ROLES: Final = 'directives by role such as { public = "public, max-age=60" }'


def _read(value: Any) -> Mapping[str, Mapping[str, str]]:
    """Parse directives by content type and role. Raises Misplaced, ValueError."""
    if not isinstance(value, Mapping):
        raise ValueError
    wrong = [*_wrong(value)]
    if wrong:
        raise Misplaced(wrong)
    return {uid: {role: read_cache_control(text) for role, text in roles.items()} for uid, roles in value.items()}


def _wrong(control: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for uid, roles in control.items():
        if not isinstance(roles, Mapping):
            yield quoted(uid), f"expected a table of {_ROLES}"
            continue
        for role, text in roles.items():
            problem = _problem(role, text)
            if problem is not None:
                yield f"{quoted(uid)}.{quoted(role)}", problem


def _problem(role: str, text: Any) -> str | None:
    if not isinstance(text, str):
        return 'expected directives such as "public, max-age=60"'
    try:
        shared = shared_directives(read_cache_control(text))
    except ValueError as error:
        return f"expected directives of Cache-Control; {error}"
    if shared and role not in VISITORS:
        return f"expected no {' and no '.join(shared)}: only responses to anonymous callers (public) can be shared"
    return None


CONTROL: Final = Kind(
    f"tables of {_ROLES}, those of other roles without `public` and `s-maxage`",
    lambda text: _read(FREE_TABLE.from_text(text)),
    _read,
)


_HEADER: Final = re.compile(r"[A-Za-z0-9-]{1,64}")
_PREFIX: Final = re.compile(r"[A-Za-z0-9_-]{0,32}")


def _matching(pattern: re.Pattern[str], expected: str) -> Kind:
    def read(value: Any) -> str:
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise ValueError
        return value

    return Kind(expected, read, read)


_HEADER_KIND: Final = _matching(_HEADER, "the name of a header")


def _each(kind: Kind, expected: str) -> Kind:
    """Return a list of a kind; a text is split at commas."""

    def read(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            raise ValueError
        return tuple(kind.from_toml(item) for item in value)

    return Kind(expected, lambda text: read(TEXTS.from_text(text)), read)


def _rising(value: tuple[int, ...]) -> tuple[int, ...]:
    if list(value) != sorted(set(value)) or len(value) > _MOST_ROUNDS:
        raise ValueError
    return value


_MOST_ROUNDS: Final = 5
_TIMES: Final = _each(MILLISECONDS, f'a list of at most {_MOST_ROUNDS} times, each later than the one before: "500ms"')
_RISING: Final = Kind(
    _TIMES.expected, lambda text: _rising(_TIMES.from_text(text)), lambda value: _rising(_TIMES.from_toml(value))
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SurrogateKeys:
    """Cache tags in responses, by which CDNs can be purged."""

    headers: tuple[str, ...] = setting(
        (),
        "Response headers with cache tags for anonymous callers: `Surrogate-Key` (Fastly, Varnish), `Cache-Tag` "
        "(Cloudflare).",
        kind=_each(_HEADER_KIND, "a list of names of headers"),
    )
    prefix: str = setting(
        "",
        "Prefix of every tag, for a cache that stores responses of several services.",
        kind=_matching(_PREFIX, "up to 32 letters, digits, `-` and `_`"),
    )
    max_size: int = setting(
        4096,
        "Maximum size of the header, within the limits of all proxies; a response that needs more is purged by every "
        "change.",
        kind=SIZE,
        bounds=(256, 16 * 1024),
        default_doc="4 kB",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Purge:
    """Purging of CDNs after changes."""

    caches: Mapping[str, Mapping[str, Any]] = setting(
        {},
        "The caches, by names of your choice, each a table: `kind` (`purge`, `fastly` or `cloudflare`), `url`, "
        "`token`, `service` (Fastly), `zone` (Cloudflare), `method` and `header` (`purge`); see docs/caching.md.",
        kind=TABLES,
        secret=True,
        shows="named",
    )
    delay: int = setting(
        100,
        "How long changes are collected into one purge. Raise it if the CDN limits the number of purges.",
        kind=MILLISECONDS,
        bounds=(20, 60_000),
        default_doc="100ms",
    )
    repeat: tuple[int, ...] = setting(
        (250, 750, 5000),
        "Times at which a purge is repeated, because responses that were in progress can reach the cache after it. "
        "The last one must be later than the longest read and the largest replica lag.",
        kind=_RISING,
        default_doc="250ms, 750ms, 5s",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Caching:
    """Caching headers of REST responses, and the response cache."""

    etags: bool | None = setting(
        None,
        "Send an `ETag` computed from the bytes of the response, and return 304 for a matching `If-None-Match`.",
        default_doc="true under `safe`; v4 has none",
    )
    control: Mapping[str, Mapping[str, str]] = setting(
        {},
        "`Cache-Control` by content type (its UID, or `*`) and role (its type such as `public` or `authenticated`, "
        "`api-token`, or `*`). Responses to requests with credentials are always private.",
        kind=CONTROL,
        shows="all",
    )
    surrogate_keys: SurrogateKeys = table(SurrogateKeys, "Cache tags of responses, for CDNs and reverse proxies.")
    purge: Purge = table(Purge, "Purges of CDNs and reverse proxies after changes.")
    responses: bool = setting(
        False,
        "Cache responses of reads, within `server.cacheSize`, until a table that they were read from changes, by any "
        "program. On PostgreSQL this uses triggers, which a start creates or removes. No effect on MySQL and MariaDB.",
    )
