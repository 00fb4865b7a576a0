"""`api.toml`: the content API, and how far it keeps the habits of v4."""

from collections.abc import Mapping
from typing import Final, Literal

from octavo.schema.custom_fields import BASE_TYPES
from octavo.settings.files.caching import Caching
from octavo.settings.keys import AT_LEAST_ONE, setting, table
from octavo.settings.values import (
    DURATION,
    PATH,
    SIZE,
    V4_VERSION,
    one_of,
    optional,
    table_of,
)
from octavo.values import dataclass

Profile = Literal["v4", "safe"]

_BY_PROFILE = "by profile"
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
class Compat:
    """Habits of v4 that are kept for existing clients or replaced by safer ones; see `compat.RULES`."""

    profile: Profile = setting("v4", "Which set of habits: `v4` for existing clients, `safe` for new projects.")
    v4_version: str | None = setting(
        None,
        "The version of v4 that clients were written for, such as `4.13.1`; it chooses the defaults of the rules that "
        "`docs/versions.md` lists.",
        kind=optional(V4_VERSION),
        default_doc="by the lock file or `package.json`, else 4.26.2",
    )
    unknown_operators: Literal["ignore", "refuse"] = setting(
        "ignore", "Filter operators that do not exist.", default_doc=_BY_PROFILE
    )
    unknown_populate: Literal["drop", "refuse"] = setting(
        "drop", "Names in `populate` that do not exist.", default_doc=_BY_PROFILE
    )
    zone_components: Literal["any", "allowed"] = setting(
        "any", "Components written into a dynamic zone: any, or those that the zone lists.", default_doc=_BY_PROFILE
    )
    drafts_by_id: Literal["visible", "preview"] = setting(
        "visible",
        "Drafts: shown by id and to everybody who asks, or only with `publicationState=preview` and to who may change "
        "entries of the type or, by an API token, read everything.",
        default_doc=_BY_PROFILE,
    )
    future_publication: Literal["shown", "hidden"] = setting(
        "shown",
        "Entries with a `publishedAt` in the future: shown at once, as published ones, or as drafts until then.",
        default_doc=_BY_PROFILE,
    )
    cache_control: Literal["unsaid", "private"] = setting(
        "unsaid",
        "`Cache-Control` of reads of which `caching.control` says nothing: none, so that caches in front do as they "
        "are set; or to be kept by nobody but who asked, and not used without asking again.",
        default_doc=_BY_PROFILE,
    )
    tokens_after_password_change: Literal["valid", "invalid"] = setting(
        "valid", "Tokens given out before the user's password changed.", default_doc=_BY_PROFILE
    )
    unverified_emails: Literal["accept", "refuse"] = setting(
        "accept",
        "People whose e-mail address the provider they sign in with has not verified.",
        default_doc=_BY_PROFILE,
    )
    empty_answers: Literal["notFound", "noContent"] = setting(
        "notFound",
        "Actions of a project's code that answer nothing: 404, or 204.",
        default_doc=_BY_PROFILE,
    )
    cors: Literal["reflect", "open", "exact"] = setting(
        "reflect",
        "Cross-origin requests: any origin reflected with credentials, any by `*` and so without, or only the origins "
        "listed in `middlewares.toml`.",
        default_doc=_BY_PROFILE,
    )
    star_origins: Literal["everybody", "nobody"] = setting(
        "nobody",
        "Whom `*` lets in that a v4 project has in a list of origins (`origin: ['*']` of `strapi::cors`).",
        default_doc=_BY_PROFILE,
    )
    graphql_forms: Literal["accept", "preflight"] = setting(
        "accept",
        "GraphQL operations with files: any form, or only with a header that pages of other sites cannot send unasked.",
        default_doc=_BY_PROFILE,
    )
    graphql_url_encoded: Literal["accept", "refuse"] = setting(
        "accept", "GraphQL operations sent as `application/x-www-form-urlencoded`.", default_doc=_BY_PROFILE
    )
    graphql_logins: Literal["any", "few"] = setting(
        "any",
        "Root fields that check a password, a code or an address (`login`, `register`, `forgotPassword`, "
        "`resetPassword`, `changePassword`, `emailConfirmation`): as many as a GraphQL request has, or at most 5.",
        default_doc=_BY_PROFILE,
    )
    graphql_guards: Literal["own", "shared"] = setting(
        "own",
        "What guards the root fields of GraphQL besides permissions: only what the project puts on the fields, or also "
        "the policies and scopes of the same action's REST route; fields of actions that other code guards are closed.",
        default_doc=_BY_PROFILE,
    )
    localization_guards: Literal["own", "shared"] = setting(
        "own",
        "Routes that add localizations to entries, where code guards `create` (single types: `update`) and the project "
        "declares no guards of `createLocalization`: open, or closed.",
        default_doc=_BY_PROFILE,
    )
    error_bodies: Literal["mixed", "json"] = setting(
        "mixed",
        "What refuses a method, or a request to GraphQL that holds no operation: some of it plain text, or all JSON.",
        default_doc=_BY_PROFILE,
    )
    relation_errors: Literal["bare", "placed"] = setting(
        "bare",
        "What is wrong with relations and files in a body, and dates and times that are none: told once and without a "
        "path, or each with its path.",
        default_doc=_BY_PROFILE,
    )
    image_types: Literal["declared", "checked"] = setting(
        "declared",
        "Uploads that are sent as images and are none: stored with the type they were sent with; or checked, so that "
        "files with an image's file name are refused, and others are stored with the type of their content.",
        default_doc=_BY_PROFILE,
    )
    token_expiry: Literal["optional", "required"] = setting(
        "optional", "Users' tokens that never expire: accepted, or refused.", default_doc=_BY_PROFILE
    )
    admin_tokens: Literal["long", "short"] = setting(
        "long",
        "Access tokens of administrators: as v4's panel keeps them, as long as a session and renewed by themselves, "
        "with those that v4 has signed; or short ones beside the cookie of a session.",
        default_doc=_BY_PROFILE,
    )
    first_administrator: Literal["anybody", "sealed"] = setting(
        "anybody",
        "The first administrator, made by the form of the pages: by whoever comes first, or from this machine, and "
        "from elsewhere with the code that the log shows at a start.",
        default_doc=_BY_PROFILE,
    )
    shared_values: Literal["shown", "always"] = setting(
        "shown",
        "Values that the locales of an entry share: copied to the other locales by a REST update that populates "
        "`localizations`, as in v4, or by each update of any API. The content manager always copies them.",
        default_doc=_BY_PROFILE,
    )
    linked_values: Literal["shown", "asked"] = setting(
        "shown",
        "Values of what relations lead to, in the pages of administrators: shown to who may read the relation, or as "
        "far as they may read that entry by itself.",
        default_doc=_BY_PROFILE,
    )
    webhook_addresses: Literal["kept", "checked"] = setting(
        "kept",
        "Addresses of webhooks that administrators give: kept, and refused when they are told if they are private; or "
        "refused then and when they are given.",
        default_doc=_BY_PROFILE,
    )
    webhook_bodies: Literal["request", "webhook"] = setting(
        "request",
        "Bodies of webhooks without `populate`: populated as the request that made the change, or not at all.",
        default_doc=_BY_PROFILE,
    )
    mails_by_administrators: Literal["everybody", "granted"] = setting(
        "everybody",
        "Administrators who may send mails of their own by POST /email: everybody, or those who may see its settings.",
        default_doc=_BY_PROFILE,
    )
    account_states: Literal["told", "hidden"] = setting(
        "told",
        "Who asks for another mail to confirm an address: told of a confirmed or blocked one, or nothing.",
        default_doc=_BY_PROFILE,
    )
    mailed_codes: Literal["plain", "sealed"] = setting(
        "plain",
        "Reset codes, confirmation codes and invitations that v4 mailed before the switch: accepted as they are stored "
        "(`plain`), or refused (`sealed`). Codes of Octavo are stored as digests.",
        default_doc=_BY_PROFILE,
    )
    malformed_authorization: Literal["anonymous", "refuse"] = setting(
        "anonymous",
        "Authorization headers that are empty or of another scheme than Bearer: ignored, so that the request is "
        "anonymous, or refused with 401.",
        default_doc=_BY_PROFILE,
    )
    linked_files: Literal["any", "found"] = setting(
        "any",
        "Files that a body links to an entry by their ids: any file, or only for callers who may find files "
        "(`find` or `findOne` of uploads).",
        default_doc=_BY_PROFILE,
    )
    replaced_files: Literal["upload", "destroy"] = setting(
        "upload",
        "Permission to replace or describe a file that is there: `upload` alone, or `destroy` too.",
        default_doc=_BY_PROFILE,
    )
    registration_fields: Literal["all", "listed"] = setting(
        "all",
        "Attributes that registration can set where `register.allowedFields` is not set: all that are not private, or "
        "none. With `listed`, any other field of the body is refused.",
        default_doc=_BY_PROFILE,
    )
    validation: Literal["loose", "strict"] = setting(
        "loose",
        "What v4 does not check: limits of big integers, values that not every database stores, required values of new "
        "components in an update, the least number of items of an empty list, required values when an update publishes "
        "a draft. `strict` checks them.",
        default_doc=_BY_PROFILE,
    )
    query_strings: Literal["merged", "listed"] = setting(
        "listed",
        "Query strings that give one name a value and parts (`populate[author]=*&populate=cover`), or a list more than "
        "100 items: merged into one object, or kept as a list; a long list stays one, or becomes an object.",
        default_doc=_BY_PROFILE,
    )
    populate_parameters: Literal["refuse", "drop"] = setting(
        "refuse",
        "Names that do not exist, or may not be asked for, in `fields`, `sort` and `filters` below `populate`.",
        default_doc=_BY_PROFILE,
    )
    unknown_parameters: Literal["refuse", "drop"] = setting(
        "refuse",
        "Names that do not exist, or may not be asked for, in `fields`, `sort` and `filters` of a request.",
        default_doc=_BY_PROFILE,
    )
    morph_relations: Literal["wrapped", "plain"] = setting(
        "plain",
        "Targets of polymorphic relations over REST: in `data` and `attributes`, as those of others, or as they are.",
        default_doc=_BY_PROFILE,
    )
    field_lists: Literal["split", "whole"] = setting(
        "whole",
        "A text of several names in `fields` (`fields=title,slug`): split at its commas, or taken as one name.",
        default_doc=_BY_PROFILE,
    )
    own_role: Literal["shown", "asked"] = setting(
        "asked",
        "The role in the answer of `/api/users/me`, for those who may read roles: always, or with `populate=role`.",
        default_doc=_BY_PROFILE,
    )
    ids: Literal["numbers", "digits"] = setting(
        "numbers",
        "Ids in addresses, in arguments of GraphQL and in `refId`: any number as JavaScript reads it (`0x41` is 65), "
        "or digits only.",
        default_doc=_BY_PROFILE,
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
