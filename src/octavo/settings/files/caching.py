"""`api.toml`, the table `caching`: what reads say to caches, and caches that are told what has changed."""

import re
from collections.abc import Mapping
from typing import Any, Final

from octavo.settings.files.caching_control import CONTROL
from octavo.settings.keys import setting, table
from octavo.settings.values import DURATION, MILLISECONDS, SIZE, TABLES, TEXTS, Kind
from octavo.values import dataclass

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
    """A list of what a kind takes; as a text, parted by commas."""

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
    """What answers say to caches in front, so that these can be told what to forget."""

    headers: tuple[str, ...] = setting(
        (),
        "Headers of answers to visitors that name what they show: `Surrogate-Key` (Fastly, Varnish), `Cache-Tag` "
        "(Cloudflare).",
        kind=_each(_HEADER_KIND, "a list of names of headers"),
    )
    prefix: str = setting(
        "",
        "In front of every name, where a cache has answers of several services.",
        kind=_matching(_PREFIX, "up to 32 letters, digits, `-` and `_`"),
    )
    largest: int = setting(
        4096,
        "Longest header; an answer that would need more is forgotten whenever anything changes.",
        kind=SIZE,
        bounds=(256, 16 * 1024),
        default_doc="4 kB",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Purge:
    """How caches in front are told what has changed."""

    caches: Mapping[str, Mapping[str, Any]] = setting(
        {},
        "The caches, by names of your own, each a table: `kind` (`purge`, `fastly` or `cloudflare`), `url`, `token`, "
        "`service` (Fastly), `zone` (Cloudflare), `method` and `header` (`purge`); see docs/caching.md.",
        kind=TABLES,
        secret=True,
        shows="named",
    )
    gather: int = setting(
        100,
        "How long changes are gathered that are told together; what a cache is asked for in a second is bounded by it.",
        kind=MILLISECONDS,
        bounds=(20, 60_000),
        default_doc="100ms",
    )
    again: tuple[int, ...] = setting(
        (250, 750, 5000),
        "When a cache is told the same again, counted from the first time: answers that were under way when something "
        "changed may reach it after that. The last has to be later than what a read may take, and than a replica may "
        "lag.",
        kind=_RISING,
        default_doc="250ms, 750ms, 5s",
    )
    timeout: int = setting(5, "Time for an answer.", kind=DURATION, bounds=(1, 60), default_doc="5s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Caching:
    """What reads over REST say to caches, and whether their answers are kept here."""

    tags: bool | None = setting(
        None,
        "Give answers an `ETag`, made of their bytes, and answer 304 to who has them already (`If-None-Match`).",
        default_doc="true under `safe`; v4 has none",
    )
    control: Mapping[str, Mapping[str, str]] = setting(
        {},
        "`Cache-Control` by content-type (its UID, or `*`) and role (its type such as `public` or `authenticated`, "
        "`api-token`, or `*`). Answers to requests with credentials are kept by who asked alone, whatever is said.",
        kind=CONTROL,
        shows="all",
    )
    surrogate_keys: SurrogateKeys = table(
        SurrogateKeys, "What answers say to caches in front, so that these can be told what to forget."
    )
    purge: Purge = table(Purge, "How caches in front are told what has changed.")
    answers: bool = setting(
        False,
        "Keep answers of reads, within `server.caches`, and use them again until something is committed to a table "
        "that they were read from, by whomever. On PostgreSQL triggers tell that, which a start makes, or removes.",
    )
