"""`[compat]` of `api.toml`: rules of v4 that existing clients depend on, or their safer replacements."""

from typing import Final, Literal

from octavo.core.values import dataclass
from octavo.settings.keys import setting
from octavo.settings.values import V4_VERSION, optional

Profile = Literal["v4", "safe"]

_BY_PROFILE: Final = "by profile"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compat:
    """Behavior of v4 that existing clients depend on, or safer replacements; see `compat.RULES`."""

    profile: Profile = setting("v4", "Set of rules: `v4` for existing clients, `safe` for new projects.")
    v4_version: str | None = setting(
        None,
        "The version of v4 that clients were written for, such as `4.13.1`; it chooses the defaults of the rules that "
        "`docs/versions.md` lists.",
        kind=optional(V4_VERSION),
        default_doc="by the lock file or `package.json`, else 4.26.2",
    )
    unknown_operators: Literal["ignore", "refuse"] = setting(
        "ignore",
        "Filter operators that do not exist: ignored, or refused with 400.",
        default_doc=_BY_PROFILE,
    )
    unknown_populate: Literal["drop", "refuse"] = setting(
        "drop",
        "Names in `populate` that do not exist: dropped, or refused with 400.",
        default_doc=_BY_PROFILE,
    )
    zone_components: Literal["any", "allowed"] = setting(
        "any",
        "Components written into a dynamic zone: `any`, or only those that the zone lists (`allowed`).",
        default_doc=_BY_PROFILE,
    )
    drafts_by_id: Literal["visible", "preview"] = setting(
        "visible",
        "Drafts: `visible` by id and to every caller who requests them; or only with `publicationState=preview`, to "
        "callers who can change entries of the type and to API tokens that can read everything.",
        default_doc=_BY_PROFILE,
    )
    future_publication: Literal["shown", "hidden"] = setting(
        "shown",
        "Entries with a `publishedAt` in the future: `shown` as published, or `hidden` as drafts until then.",
        default_doc=_BY_PROFILE,
    )
    cache_control: Literal["none", "private"] = setting(
        "none",
        "`Cache-Control` of reads that no rule of `caching.control` covers: no header (`none`), so that caches use "
        "their own rules; or `private, no-cache`.",
        default_doc=_BY_PROFILE,
        former={"unsaid": "none"},
    )
    tokens_after_password_change: Literal["valid", "invalid"] = setting(
        "valid",
        "Tokens issued before the user's password changed.",
        default_doc=_BY_PROFILE,
    )
    unverified_emails: Literal["accept", "refuse"] = setting(
        "accept",
        "Sign-ins by a provider that has not verified the user's email address.",
        default_doc=_BY_PROFILE,
    )
    empty_answers: Literal["notFound", "noContent"] = setting(
        "notFound",
        "Actions of project code that return nothing: 404 (`notFound`), or 204 (`noContent`).",
        default_doc=_BY_PROFILE,
    )
    cors: Literal["reflect", "open", "exact"] = setting(
        "reflect",
        "Cross-origin requests: any origin with credentials (`reflect`), any origin by `*` without credentials "
        "(`open`), or only the origins listed in `middlewares.toml` (`exact`).",
        default_doc=_BY_PROFILE,
    )
    star_origins: Literal["everyone", "none"] = setting(
        "none",
        "Origins that `*` allows inside a v4 project's list of origins (`origin: ['*']` of `strapi::cors`): "
        "`everyone`, or `none`.",
        default_doc=_BY_PROFILE,
        former={"everybody": "everyone", "nobody": "none"},
    )
    graphql_forms: Literal["accept", "preflight"] = setting(
        "accept",
        "GraphQL operations with files: any form, or only with a header that makes browsers send a preflight request.",
        default_doc=_BY_PROFILE,
    )
    graphql_url_encoded: Literal["accept", "refuse"] = setting(
        "accept",
        "GraphQL operations sent as `application/x-www-form-urlencoded`.",
        default_doc=_BY_PROFILE,
    )
    graphql_logins: Literal["unlimited", "limited"] = setting(
        "unlimited",
        "Root fields that check a password, a code or an address (`login`, `register`, `forgotPassword`, "
        "`resetPassword`, `changePassword`, `emailConfirmation`) in one GraphQL request: `unlimited`, or at most 5 "
        "(`limited`).",
        default_doc=_BY_PROFILE,
        former={"any": "unlimited", "few": "limited"},
    )
    graphql_guards: Literal["own", "shared"] = setting(
        "own",
        "Guards of GraphQL root fields besides permissions: only those that the project sets on the fields, or also "
        "the policies and scopes of the same action's REST route. Fields of actions with other guards are closed.",
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
        "Errors for a method that is not allowed, or a GraphQL request without an operation: partly plain text "
        "(`mixed`), or always JSON.",
        default_doc=_BY_PROFILE,
    )
    relation_errors: Literal["flat", "withPath"] = setting(
        "flat",
        "Errors in relations, files, dates and times of a body: one message without a path (`flat`), or one for "
        "each value (`withPath`).",
        default_doc=_BY_PROFILE,
        former={"bare": "flat", "placed": "withPath"},
    )
    image_parameters: Literal["ignore", "refuse"] = setting(
        "ignore",
        "Parameters in URLs of uploaded files that transform images, and that no preset allows: ignored, so that the "
        "original is served, or refused with 400.",
        default_doc=_BY_PROFILE,
    )
    image_types: Literal["declared", "checked"] = setting(
        "declared",
        "Uploads sent as images that are not images: stored with the `declared` type; or `checked`, so that files "
        "with an image's file name are refused and others are stored with the type of their content.",
        default_doc=_BY_PROFILE,
    )
    token_expiry: Literal["optional", "required"] = setting(
        "optional",
        "User tokens without an expiry date: accepted (`optional`), or refused (`required`).",
        default_doc=_BY_PROFILE,
    )
    admin_tokens: Literal["long", "short"] = setting(
        "long",
        "Access tokens of administrators: `long`, as v4's panel stores them, renewed during a session, and accepted "
        "if v4 signed them; or `short`, beside a session cookie.",
        default_doc=_BY_PROFILE,
    )
    first_administrator: Literal["anyone", "code"] = setting(
        "anyone",
        "Registration of the first administrator on the pages: open to `anyone`; or open to this machine, and from "
        "elsewhere only with the `code` that the log shows at each start.",
        default_doc=_BY_PROFILE,
        former={"anybody": "anyone", "sealed": "code"},
    )
    shared_values: Literal["shown", "always"] = setting(
        "shown",
        "Values that the locales of an entry share: copied to the other locales by a REST update that populates "
        "`localizations`, as in v4 (`shown`), or by every update of every API (`always`). The content manager "
        "always copies them.",
        default_doc=_BY_PROFILE,
    )
    linked_values: Literal["shown", "checked"] = setting(
        "shown",
        "Values of related entries on the admin pages: `shown` to administrators who can read the relation, or "
        "`checked` against their permissions for the related entry.",
        default_doc=_BY_PROFILE,
        former={"asked": "checked"},
    )
    webhook_addresses: Literal["unchecked", "checked"] = setting(
        "unchecked",
        "Private addresses of webhooks: refused only when the webhook is sent (`unchecked`), or also when it is "
        "saved (`checked`).",
        default_doc=_BY_PROFILE,
        former={"kept": "unchecked"},
    )
    webhook_bodies: Literal["request", "webhook"] = setting(
        "request",
        "Bodies of webhooks without `populate`: populated as the `request` that made the change, or not populated "
        "(`webhook`).",
        default_doc=_BY_PROFILE,
    )
    mails_by_administrators: Literal["everyone", "permitted"] = setting(
        "everyone",
        "Administrators who can send emails with POST /email: `everyone`, or those with permission to read the email "
        "settings (`permitted`).",
        default_doc=_BY_PROFILE,
        former={"everybody": "everyone", "granted": "permitted"},
    )
    account_states: Literal["shown", "hidden"] = setting(
        "shown",
        "Requests for another confirmation email: the response says that an account is confirmed or blocked "
        "(`shown`), or never does (`hidden`).",
        default_doc=_BY_PROFILE,
        former={"told": "shown"},
    )
    mailed_codes: Literal["plain", "hashed"] = setting(
        "plain",
        "Reset codes, confirmation codes and invitations that v4 sent before the switch: accepted as v4 stores "
        "them (`plain`), or refused (`hashed`). Octavo stores its own codes as digests.",
        default_doc=_BY_PROFILE,
        former={"sealed": "hashed"},
    )
    malformed_authorization: Literal["anonymous", "refuse"] = setting(
        "anonymous",
        "Authorization headers that are empty or use another scheme than Bearer: ignored (`anonymous`), or refused "
        "with 401.",
        default_doc=_BY_PROFILE,
    )
    linked_files: Literal["any", "permitted"] = setting(
        "any",
        "Files that a body links to an entry by id: `any` file, or only if the caller has permission to find files "
        "(`find` or `findOne` of uploads).",
        default_doc=_BY_PROFILE,
        former={"found": "permitted"},
    )
    replaced_files: Literal["upload", "destroy"] = setting(
        "upload",
        "Permission to replace or edit an existing file: `upload`, or also `destroy`.",
        default_doc=_BY_PROFILE,
    )
    replaced_kinds: Literal["any", "same"] = setting(
        "any",
        "Replacing a file with another kind, such as an image with a video: stored under a new URL (`any`), or refused "
        "(`same`).",
        default_doc=_BY_PROFILE,
    )
    heic_formats: Literal["none", "jpeg"] = setting(
        "none",
        "Smaller formats of HEIC photos: none, and no size, as in v4; or in JPEG (`jpeg`), if `octavo[heic]` is "
        "installed.",
        default_doc=_BY_PROFILE,
    )
    registration_fields: Literal["all", "listed"] = setting(
        "all",
        "Attributes that registration can set if `register.allowedFields` is not set: `all` that are not private, "
        "or none. With `listed`, any other field of the body is refused.",
        default_doc=_BY_PROFILE,
    )
    validation: Literal["loose", "strict"] = setting(
        "loose",
        "Checks that v4 does not have: limits of big integers, values that not every database stores, required values "
        "of new components in an update, the minimum number of items of an empty list, required values when an update "
        "publishes a draft. `strict` enables them.",
        default_doc=_BY_PROFILE,
    )
    query_strings: Literal["merged", "listed"] = setting(
        "listed",
        "Query strings with a name both with and without brackets (`populate[author]=*&populate=cover`), or with more "
        "than 100 items in a list: `merged` into one object, or kept as a list (`listed`).",
        default_doc=_BY_PROFILE,
    )
    populate_parameters: Literal["refuse", "drop"] = setting(
        "refuse",
        "Names in `fields`, `sort` and `filters` below `populate` that do not exist or are not allowed.",
        default_doc=_BY_PROFILE,
    )
    unknown_parameters: Literal["refuse", "drop"] = setting(
        "refuse",
        "Names in `fields`, `sort` and `filters` of a request that do not exist or are not allowed.",
        default_doc=_BY_PROFILE,
    )
    morph_relations: Literal["wrapped", "plain"] = setting(
        "plain",
        "Targets of polymorphic relations over REST: in `data` and `attributes` like other relations (`wrapped`), "
        "or `plain`.",
        default_doc=_BY_PROFILE,
    )
    field_lists: Literal["split", "whole"] = setting(
        "whole",
        "Several names in one value of `fields` (`fields=title,slug`): `split` at the commas, or one name (`whole`).",
        default_doc=_BY_PROFILE,
    )
    own_role: Literal["shown", "checked"] = setting(
        "checked",
        "The role in the response of `/api/users/me`, for callers who can read roles: always (`shown`), or only with "
        "`populate=role` (`checked`).",
        default_doc=_BY_PROFILE,
        former={"asked": "checked"},
    )
    list_columns: Literal["first", "editorial"] = setting(
        "first",
        "Default columns of lists in the admin pages: the ID and the `first` attributes, or a thumbnail, the title, a "
        "related entry and the last update (`editorial`).",
        default_doc=_BY_PROFILE,
    )
    ids: Literal["numbers", "digits"] = setting(
        "numbers",
        "IDs in URLs, in GraphQL arguments and in `refId`: any number as JavaScript reads it (`0x41` is 65), "
        "or digits only.",
        default_doc=_BY_PROFILE,
    )
