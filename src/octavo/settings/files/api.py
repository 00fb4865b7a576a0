"""`api.toml`: the content API, and how far it keeps the habits of v4."""

from collections.abc import Mapping
from typing import Final

from octavo.schema.custom_fields import BASE_TYPES
from octavo.settings.files.caching import Caching
from octavo.settings.files.compatibility import Compat
from octavo.settings.keys import AT_LEAST_ONE, setting, table
from octavo.settings.values import (
    DURATION,
    PATH,
    SIZE,
    one_of,
    table_of,
)
from octavo.values import dataclass

_STORED_TYPES: Final = table_of(one_of(sorted(BASE_TYPES)), "the types that custom fields are stored as")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest:
    """The REST door."""

    default_limit: int = setting(25, "Entries on a page when a request does not say.", bounds=AT_LEAST_ONE)
    max_limit: int = setting(
        100, "Most entries on a page, whatever a request says; -1 leaves it to `largestAnswer`.", bounds=(-1, None)
    )
    with_count: bool = setting(True, "Answer totals when a request does not say.")
    populate_deep: int = setting(
        0,
        "Levels that `populate=deep` stands for where none are named (`populate=deep,3`); 0: a name as any other.",
        bounds=(0, 20),
        default_doc="0, or 5 where `package.json` has `strapi-plugin-populate-deep`",
    )
    prefix: str = setting("/api", "Path in front of every REST route.", kind=PATH)


@dataclass(frozen=True, slots=True, kw_only=True)
class Responses:
    """What answers show."""

    private_attributes: tuple[str, ...] = setting(
        (), "Attributes that are private in every content-type and component, by name."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reads:
    """What one read may cost, over REST and GraphQL; far above what applications ask. More is refused with 400."""

    joins: int = setting(
        1_000, "Tables that a read may look into: one for each relation, component and kind.", bounds=AT_LEAST_ONE
    )
    statement: int = setting(
        512 * 1024,
        "Longest SQL statement of a read.",
        kind=SIZE,
        bounds=(16 * 1024, 64 * 1024**2),
        default_doc="512 kB",
    )
    max_cost: int = setting(
        20_000,
        "Highest cost of a read, computed before it is planned: 1 for each relation, component, kind, field, condition "
        "and sort, and 1 for each 500 entries of its largest list, where lists in lists count 10 entries each.",
        bounds=AT_LEAST_ONE,
    )
    timeout: int = setting(
        5_000,
        "Longest time, in milliseconds, that the database works for a read with three or more lists in one another, "
        "or with a long statement; `statementTimeout` in `config/database.toml` holds for all of them.",
        bounds=AT_LEAST_ONE,
    )


FEED_PATH: Final = "/events"


@dataclass(frozen=True, slots=True, kw_only=True)
class Events:
    """The feed of changes, `GET /api/events`."""

    enabled: bool = setting(
        False, "Write down every change, and tell it to those who listen at `/api/events`: the entries they may find."
    )
    path: str = setting(
        FEED_PATH,
        "Where it is, below the path of REST; left alone, it is at `/_events` where a content-type has `/events`.",
        kind=PATH,
    )
    types: tuple[str, ...] = setting(
        (),
        "UIDs of content-types that are told by the rights of who listens alone, although a project's code takes part "
        "in finding them; without it their changes are not told.",
    )
    keep: int = setting(
        3600,
        "How long changes are kept for listeners that come back.",
        kind=DURATION,
        bounds=(60, None),
        default_doc="1h",
    )
    keep_bytes: int = setting(
        16 * 1024**2,
        "Room in the database for changes that are kept, about 200 bytes each; the oldest go first.",
        kind=SIZE,
        bounds=(64 * 1024, None),
        default_doc="16 MB",
    )
    listeners: int = setting(2000, "Most listeners of a worker; more are answered 503.", bounds=AT_LEAST_ONE)
    listeners_by_address: int = setting(
        100, "Most listeners of a worker from one address; more are answered 429.", bounds=AT_LEAST_ONE
    )
    heartbeat: int = setting(
        15,
        "Time between two signs of life, which keep a connection open and tell where to go on.",
        kind=DURATION,
        bounds=AT_LEAST_ONE,
        default_doc="15s",
    )
    queue: int = setting(
        64 * 1024,
        "Most that waits for one listener; one that does not keep up is disconnected, and may come back.",
        kind=SIZE,
        bounds=(4 * 1024, 16 * 1024**2),
        default_doc="64 kB",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Adoption:
    """A v4 project whose JavaScript is not run: what may be open although code guards it."""

    allow: tuple[str, ...] = setting(
        (),
        "What is served although the code that guards it is not run: names of policies, middlewares and hooks "
        "(`api::article.is-owner`, `global::ip-filter`), actions (`api::article.article.find`) or routes "
        "(`GET /articles`).",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Api:
    """The content API."""

    rest: Rest = table(Rest, "The REST door.")
    responses: Responses = table(Responses, "What answers show.")
    reads: Reads = table(Reads, "What one read may cost.")
    compat: Compat = table(Compat, "The compatibility profile and its rules; each rule can be set alone.")
    custom_fields: Mapping[str, str] = setting(
        {},
        "The types that custom fields are stored as, by their names, such as "
        '`"plugin::rating.stars" = "integer"`; those of many plugins are known.',
        kind=_STORED_TYPES,
    )
    events: Events = table(Events, "The feed of changes, `GET /api/events`.")
    caching: Caching = table(Caching, "What reads over REST say to caches.")
    adoption: Adoption = table(Adoption, "A v4 project whose JavaScript is not run.")
    largest_answer: int = setting(
        32 * 1024**2,
        "Largest answer to a read; what would become larger is refused with 400.",
        kind=SIZE,
        bounds=(64 * 1024, 512 * 1024**2),
        default_doc="32 MB",
    )
