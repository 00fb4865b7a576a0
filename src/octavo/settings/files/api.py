"""`api.toml`: the content API, and how far it keeps the habits of v4."""

from collections.abc import Mapping
from typing import Final

from octavo.core.values import dataclass
from octavo.schema.custom_fields import BASE_TYPES
from octavo.settings.files.caching import Caching
from octavo.settings.files.compatibility import Compat
from octavo.settings.files.images import Images
from octavo.settings.keys import AT_LEAST_ONE, setting, table
from octavo.settings.values import (
    DURATION,
    MILLISECONDS,
    PATH,
    SIZE,
    one_of,
    table_of,
)

_STORED_TYPES: Final = table_of(one_of(sorted(BASE_TYPES)), "stored types by custom field")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest:
    """The REST API."""

    default_limit: int = setting(25, "Default page size.", bounds=AT_LEAST_ONE)
    max_limit: int = setting(100, "Maximum page size; -1 for `maxResponseSize` alone.", bounds=(-1, None))
    with_count: bool = setting(True, "Return totals, unless the request disables them.")
    populate_deep: int = setting(
        0,
        "Levels of `populate=deep` without a number (`populate=deep,3`); with 0, `deep` has no special meaning.",
        bounds=(0, 20),
        default_doc="`0`; 5 if `package.json` has `strapi-plugin-populate-deep`",
    )
    prefix: str = setting("/api", "Path in front of every REST route.", kind=PATH)


@dataclass(frozen=True, slots=True, kw_only=True)
class Responses:
    """The contents of responses."""

    private_attributes: tuple[str, ...] = setting(
        (), "Attributes that are private in every content type and component, by name."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reads:
    """Limits of one read, over REST and GraphQL; far above what applications need. More expensive reads get 400."""

    max_cost: int = setting(
        20_000,
        "Maximum cost of a read, computed before planning: 1 for each relation, component, kind, field, condition "
        "and sort, and 1 for each 500 entries of its largest list. Nested lists count 10 entries each. It also limits "
        "joins (1,000) and the statement (512 kB), in proportion.",
        bounds=AT_LEAST_ONE,
    )
    timeout: int = setting(
        5_000,
        "Maximum time that the database works on a read with three or more nested lists or with "
        "a long statement; `statementTimeout` in `config/database.toml` applies to all statements.",
        kind=MILLISECONDS,
        bounds=AT_LEAST_ONE,
        default_doc="5s",
    )


FEED_PATH: Final = "/events"


@dataclass(frozen=True, slots=True, kw_only=True)
class Events:
    """The change feed, `GET /api/events`."""

    enabled: bool = setting(
        False, "Record all changes and send them to listeners of `/api/events` who can find the entries."
    )
    path: str = setting(
        FEED_PATH,
        "Path of the event stream below the REST prefix; by default `/events`, or `/_events` if a content type "
        "uses that.",
        kind=PATH,
    )
    types: tuple[str, ...] = setting(
        (),
        "UIDs of content types whose events are sent according to permissions only, although project code affects "
        "their reads. Without this, Octavo sends no events for such types.",
    )
    keep: int = setting(
        3600,
        "How long events are stored for listeners that reconnect.",
        kind=DURATION,
        bounds=(60, None),
        default_doc="1h",
    )
    listeners: int = setting(
        2000, "Maximum listeners of a worker, each with up to 128 kB of memory; more receive 503.", bounds=AT_LEAST_ONE
    )
    listeners_by_address: int = setting(
        100,
        "Maximum listeners of a worker from one address; more receive 429. Raise it for offices behind one address.",
        bounds=AT_LEAST_ONE,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Adoption:
    """A v4 project whose JavaScript is not run: endpoints that stay open although code guards them."""

    allow: tuple[str, ...] = setting(
        (),
        "Endpoints that stay open although the code that guards them does not run: names of policies, middlewares "
        "and hooks (`api::article.is-owner`, `global::ip-filter`), actions (`api::article.article.find`) or routes "
        "(`GET /articles`).",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Api:
    """The content API."""

    rest: Rest = table(Rest, "The REST API.")
    responses: Responses = table(Responses, "The contents of all responses.")
    reads: Reads = table(
        Reads,
        "Limits of a read, over REST and GraphQL, far above what applications need "
        "([details](rest-api.md#limits-of-populate)).",
    )
    compat: Compat = table(
        Compat,
        "The [compatibility profile](profiles.md) and its rules. Set single rules to move clients of Strapi v4 to the "
        "profile `safe` step by step.",
    )
    custom_fields: Mapping[str, str] = setting(
        {},
        'Types that custom fields are stored as, by name, such as `"plugin::rating.stars" = "integer"`; those of '
        "many plugins are built in.",
        kind=_STORED_TYPES,
    )
    events: Events = table(Events, "The event stream, `GET /api/events`.")
    caching: Caching = table(Caching, "Caching of REST reads.")
    images: Images = table(Images, "[Transformations of images](images.md) on request.")
    adoption: Adoption = table(Adoption, "A v4 project whose JavaScript does not run.")
    max_response_size: int = setting(
        32 * 1024**2,
        "Maximum size of the response to a read; larger ones are refused with 400.",
        kind=SIZE,
        bounds=(64 * 1024, 512 * 1024**2),
        default_doc="32 MB",
    )
