"""The settings: one frozen dataclass for each file and table, one field with its explanation for each key.

This is the table that drives everything: to add a key, add a field.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from octavo.settings.keys import Table, read_table, setting, table
from octavo.settings.values import DURATION, PATH, SIZE

Mode = Literal["development", "staging", "production"]
Profile = Literal["v4", "safe"]
SslMode = Literal["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]

_AT_LEAST_ONE = (1, None)
_AT_LEAST_ZERO = (0, None)
_BY_PROFILE = "by profile"


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """Where and how the service listens."""

    host: str = setting("127.0.0.1", "Address to listen on.", variable="HOST")
    port: int = setting(1337, "Port to listen on.", variable="PORT", bounds=(0, 65535))
    workers: int = setting(1, "Worker processes of `octavo start`.", bounds=_AT_LEAST_ONE)
    url: str = setting("", "Public address of the service, for links it makes.", variable="PUBLIC_URL")
    trusted_proxies: tuple[str, ...] = setting((), "Addresses or networks whose forwarded headers are believed.")
    shutdown: int = setting(
        30, "Time given to requests under way at a stop.", kind=DURATION, bounds=_AT_LEAST_ZERO, default_doc="30s"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest:
    """The REST door."""

    default_limit: int = setting(25, "Entries on a page when a request does not say.", bounds=_AT_LEAST_ONE)
    max_limit: int = setting(100, "Most entries on a page, whatever a request says.", bounds=_AT_LEAST_ONE)
    with_count: bool = setting(True, "Answer totals when a request does not say.")
    prefix: str = setting("/api", "Path in front of every REST route.", kind=PATH)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compat:
    """Habits of v4 that are kept for existing clients or replaced by safer ones; see `compat.RULES`."""

    profile: Profile = setting("v4", "Which set of habits: `v4` for existing clients, `safe` for new projects.")
    unknown_operators: Literal["ignore", "refuse"] = setting(
        "ignore", "Filter operators that do not exist.", default_doc=_BY_PROFILE
    )
    unknown_populate: Literal["drop", "refuse"] = setting(
        "drop", "Names in `populate` that do not exist.", default_doc=_BY_PROFILE
    )
    drafts_by_id: Literal["visible", "preview"] = setting(
        "visible",
        "Drafts: shown by id and to everybody who asks, or only with `publicationState=preview` and to who may change "
        "entries of the type or, by an API token, read everything.",
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
    cors: Literal["reflect", "exact"] = setting(
        "reflect",
        "Cross-origin requests: any origin reflected with credentials, or only the origins listed in "
        "`middlewares.toml`.",
        default_doc=_BY_PROFILE,
    )
    graphql_forms: Literal["accept", "preflight"] = setting(
        "accept",
        "GraphQL operations with files: any form, or only with a header that pages of other sites cannot send unasked.",
        default_doc=_BY_PROFILE,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Api:
    """The content API."""

    rest: Rest = table(Rest, "The REST door.")
    compat: Compat = table(Compat, "The compatibility profile and its rules; each rule can be set alone.")
    largest_answer: int = setting(
        32 * 1024**2,
        "Largest answer to a read; what would become larger is refused with 400.",
        kind=SIZE,
        bounds=(64 * 1024, 512 * 1024**2),
        default_doc="32 MB",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Connections held to PostgreSQL by each worker."""

    min: int = setting(1, "Connections kept open.", bounds=_AT_LEAST_ZERO)
    max: int = setting(10, "Most connections.", bounds=_AT_LEAST_ONE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Database:
    """Where content is stored."""

    client: Literal["sqlite", "postgres"] = setting(
        "sqlite",
        "Kind of database.",
        variable="DATABASE_CLIENT",
        aliases={"better-sqlite3": "sqlite", "postgresql": "postgres"},
    )
    filename: str = setting(
        ".octavo/data.db", "SQLite: the file, relative to the project.", variable="DATABASE_FILENAME"
    )
    url: str | None = setting(
        None,
        "All of it in one address: `sqlite:///relative`, `sqlite:////absolute` or "
        "`postgresql://user:password@host:port/name?sslmode=require`. Wins over the single keys of the same source.",
        variable="DATABASE_URL",
        secret=True,
    )
    host: str = setting("localhost", "PostgreSQL: host, or folder of the socket.", variable="DATABASE_HOST")
    port: int = setting(5432, "PostgreSQL: port.", variable="DATABASE_PORT", bounds=(1, 65535))
    name: str | None = setting(None, "PostgreSQL: name of the database.", variable="DATABASE_NAME")
    user: str | None = setting(None, "PostgreSQL: user.", variable="DATABASE_USERNAME")
    password: str | None = setting(None, "PostgreSQL: password.", variable="DATABASE_PASSWORD", secret=True)
    ssl: SslMode = setting(
        "prefer",
        "PostgreSQL: encryption, as in `sslmode`; true means `require`, false `disable`.",
        variable="DATABASE_SSL",
        aliases={"true": "require", "1": "require", "false": "disable", "0": "disable"},
    )
    schema: str = setting("public", "PostgreSQL: schema of the tables.", variable="DATABASE_SCHEMA")
    pool: Pool = table(Pool, "Connections held to PostgreSQL by each worker.")
    statement_timeout: int = setting(
        15000, "Longest time a statement may run, in milliseconds; 0 for no limit.", bounds=_AT_LEAST_ZERO
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cors:
    """Cross-origin requests."""

    origins: tuple[str, ...] = setting(
        (), "Origins that may call; `*` reflects any.", default_doc="`*` where the rule `compat.cors` is `reflect`"
    )
    methods: tuple[str, ...] = setting(
        ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"), "Methods they may use."
    )
    headers: tuple[str, ...] = setting(("Content-Type", "Authorization", "Origin", "Accept"), "Headers they may send.")
    credentials: bool = setting(
        False, "May send cookies and credentials.", default_doc="true where the rule `compat.cors` is `reflect`"
    )
    max_age: int = setting(
        31_536_000, "How long a browser may remember this.", kind=DURATION, bounds=_AT_LEAST_ZERO, default_doc="365d"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """Limits on bodies of requests."""

    json: int = setting(1024**2, "Largest JSON body.", kind=SIZE, bounds=_AT_LEAST_ONE, default_doc="1 MB")
    form: int = setting(1024**2, "Largest form without files.", kind=SIZE, bounds=_AT_LEAST_ONE, default_doc="1 MB")
    upload: int = setting(
        200 * 1024**2, "Largest form with files.", kind=SIZE, bounds=_AT_LEAST_ONE, default_doc="200 MB"
    )
    json_depth: int = setting(64, "Deepest nesting of a JSON body.", bounds=(1, 500))
    parts: int = setting(1000, "Most parts of a multipart form.", bounds=_AT_LEAST_ONE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Requests:
    """Limits on requests as a whole."""

    url_length: int = setting(16 * 1024, "Longest path and query, in bytes.", kind=SIZE, bounds=(256, None))
    header_count: int = setting(
        100, "Most headers; beyond 100 the HTTP server answers 431 by itself, without a body.", bounds=_AT_LEAST_ONE
    )
    timeout: int = setting(
        60, "Longest time an answer may take.", kind=DURATION, bounds=_AT_LEAST_ONE, default_doc="60s"
    )
    queue: int = setting(1000, "Most requests under way in a worker; more are answered 503.", bounds=_AT_LEAST_ONE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Middlewares:
    """What wraps every request."""

    cors: Cors = table(Cors, "Cross-origin requests.")
    body: Body = table(Body, "Limits on bodies.")
    requests: Requests = table(Requests, "Limits on requests as a whole.")
    headers: Mapping[str, str] = setting(
        {}, "Headers added to every answer, beside the security headers or in their place.", entry_names="kebab"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Jwt:
    """Tokens of users."""

    expires_in: int = setting(
        30 * 86400, "How long a user's token is valid.", kind=DURATION, bounds=_AT_LEAST_ONE, default_doc="30d"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimit:
    """Limits on login, registration and password routes."""

    enabled: bool = setting(True, "Limit attempts at login, registration and password routes.")
    interval: int = setting(
        300, "Period over which attempts are counted.", kind=DURATION, bounds=_AT_LEAST_ONE, default_doc="5m"
    )
    max: int = setting(5, "Most attempts in a period at one account from one address.", bounds=_AT_LEAST_ONE)
    max_by_address: int = setting(50, "Most attempts in a period from one address.", bounds=_AT_LEAST_ONE)
    store: Literal["auto", "memory", "database", "redis"] = setting(
        "auto", "Where attempts are counted; `auto`: in memory with one worker, in the database with several."
    )
    url: str | None = setting(
        None,
        'Address of Redis or Valkey, `redis://host:6379/0`, for `store = "redis"`.',
        variable="REDIS_URL",
        secret=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Register:
    """Registration of users."""

    allowed_fields: tuple[str, ...] = setting((), "Further attributes that registration may set.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sessions:
    """Refresh tokens."""

    access_token_lifespan: int = setting(
        600, "How long an access token is valid.", kind=DURATION, bounds=_AT_LEAST_ONE, default_doc="10m"
    )
    idle_refresh_token_lifespan: int = setting(
        14 * 86400, "How long a session lasts unused.", kind=DURATION, bounds=_AT_LEAST_ONE, default_doc="14d"
    )
    max_refresh_token_lifespan: int = setting(
        30 * 86400, "How long a session lasts in all.", kind=DURATION, bounds=_AT_LEAST_ONE, default_doc="30d"
    )
    http_only: bool = setting(False, "Refresh tokens travel in a cookie that scripts cannot read, and not in bodies.")
    same_site: Literal["strict", "lax", "none"] = setting(
        "strict",
        "Cookie: which sites' pages may have it sent; `none` for a front end on another site than the service, which "
        "must be among `middlewares.cors.origins`.",
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
    sessions: Sessions = table(Sessions, "Refresh tokens; where `jwtManagement` is `refresh`.")
    providers: Mapping[str, Mapping[str, Any]] = setting(
        {}, "Providers that people can sign in with, by name; see docs/accounts.md.", secret=True
    )
    private_hosts: tuple[str, ...] = setting(
        (), "Hosts of providers (`name` or `name:port`) that may have private addresses and be asked by plain http."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class UsersPermissions:
    """The users and permissions plugin."""

    enabled: bool = setting(True, "Use the plugin.")
    config: UsersPermissionsConfig = table(UsersPermissionsConfig)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailProviderOptions:
    """The mail server."""

    host: str | None = setting(None, "Mail server; without one, development puts mail into `.octavo/mail`.")
    port: int = setting(587, "Port of the mail server.", bounds=(1, 65535))
    security: Literal["none", "starttls", "tls"] = setting("starttls", "Encryption on the way to the mail server.")
    user: str | None = setting(None, "User of the mail server.", variable="SMTP_USERNAME")
    password: str | None = setting(None, "Password of that user.", variable="SMTP_PASSWORD", secret=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailSettings:
    """What messages say that say nothing themselves."""

    default_from: str = setting("no-reply@localhost", "Whom messages come from.")
    default_reply_to: str = setting("", "Where answers go.")


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailConfig:
    """Mail to users."""

    provider_options: EmailProviderOptions = table(EmailProviderOptions, "The mail server.")
    settings: EmailSettings = table(EmailSettings, "Senders.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Email:
    """The email plugin."""

    enabled: bool = setting(True, "Use the plugin.")
    config: EmailConfig = table(EmailConfig)


@dataclass(frozen=True, slots=True, kw_only=True)
class I18nConfig:
    """Locales."""

    default_locale: str = setting(
        "en", "Default locale of a new database.", variable="STRAPI_PLUGIN_I18N_INIT_LOCALE_CODE"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class I18n:
    """The locales plugin."""

    enabled: bool = setting(True, "Use the plugin.")
    config: I18nConfig = table(I18nConfig)


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Credentials:
    """Who asks S3. Without them the library looks in its own places: environment, profiles, the machine's role."""

    access_key_id: str | None = setting(None, "Access key.", variable="AWS_ACCESS_KEY_ID", secret=True)
    secret_access_key: str | None = setting(None, "Its secret.", variable="AWS_ACCESS_SECRET", secret=True)
    session_token: str | None = setting(None, "Token of a temporary key.", variable="AWS_SESSION_TOKEN", secret=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Params:
    """The bucket."""

    bucket: str = setting("", "Name of the bucket.", name="Bucket", variable="AWS_BUCKET")
    acl: str | None = setting(
        None,
        "Who may fetch the files: `private` makes answers hold signed addresses; none leaves it to the bucket.",
        name="ACL",
        variable="AWS_ACL",
    )
    signed_url_expires: int = setting(
        900,
        "How long a signed address is valid.",
        kind=DURATION,
        bounds=(10, 7 * 86400),
        default_doc="15m",
        variable="AWS_SIGNED_URL_EXPIRES",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Service:
    """S3, or a service that speaks its protocol."""

    credentials: S3Credentials = table(S3Credentials, "Who asks.")
    region: str | None = setting(None, "Region of the bucket.", variable="AWS_REGION")
    endpoint: str | None = setting(None, "Address of a service other than Amazon's.")
    force_path_style: bool = setting(False, "Name the bucket in the path of addresses and not in the host.")
    params: S3Params = table(S3Params, "The bucket.")


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadProviderOptions:
    """The storage `aws-s3`."""

    base_url: str = setting(
        "", "Public address in front of the files, of a CDN say, in place of the bucket's.", variable="CDN_URL"
    )
    root_path: str = setting("", "Folder of the bucket that holds all files.", variable="CDN_ROOT_PATH")
    s3_options: S3Service = table(S3Service, "The service.", name="s3Options")


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadConfig:
    """Files."""

    provider: Literal["local", "aws-s3"] = setting(
        "local",
        "Where files are kept: in `public/uploads`, or in a bucket of S3.",
        aliases={"@strapi/provider-upload-local": "local", "@strapi/provider-upload-aws-s3": "aws-s3"},
    )
    provider_options: UploadProviderOptions = table(UploadProviderOptions, "The storage `aws-s3`.")
    size_limit: int = setting(200 * 1024**2, "Largest file.", kind=SIZE, bounds=_AT_LEAST_ONE, default_doc="200 MB")
    breakpoints: Mapping[str, int] = setting(
        {"large": 1000, "medium": 750, "small": 500}, "Formats made of an image: name and greatest width or height."
    )
    keep_metadata: bool = setting(
        False, "Keep what cameras and programs note in images, such as the place where they were taken."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """The upload plugin."""

    enabled: bool = setting(True, "Use the plugin.")
    config: UploadConfig = table(UploadConfig)


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphqlLimits:
    """The most that an operation may ask for; far above what applications ask."""

    tokens: int = setting(15_000, "Words and signs of a document.", bounds=_AT_LEAST_ONE)
    aliases: int = setting(500, "Aliases of a document.", bounds=_AT_LEAST_ZERO)
    root_fields: int = setting(200, "Fields of Query or Mutation in an operation.", bounds=_AT_LEAST_ONE)
    fields: int = setting(5_000, "Fields of a document, its fragments filled in.", bounds=_AT_LEAST_ONE)
    values: int = setting(
        500_000,
        "Values that an answer may come to have: the fields of each entry, times the entries its lists may have.",
        bounds=_AT_LEAST_ONE,
    )
    batch: int = setting(10, "Operations sent together; 1 for no batches.", bounds=_AT_LEAST_ONE)


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphqlCache:
    """What each worker remembers: documents, and apart from them persisted queries."""

    documents: int = setting(1_000, "Most texts of each kind.", bounds=_AT_LEAST_ONE)
    size: int = setting(
        2 * 1024**2, "Most bytes of the texts of each kind.", kind=SIZE, bounds=_AT_LEAST_ONE, default_doc="2 MB"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ApolloServer:
    """Server options of a v4 project, under their names there. What `graphql.config` itself says wins."""

    tracing: bool | None = setting(None, "As `tracing`.")
    introspection: bool | None = setting(None, "As `introspection`.")
    persisted_queries: bool | None = setting(None, "As `persistedQueries`.")
    cache: Literal["bounded"] = setting("bounded", "Taken: caches are bounded, see `cache`.")


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphqlConfig:
    """The GraphQL door."""

    endpoint: str = setting("/graphql", "Path of the endpoint.", kind=PATH)
    shadow_crud: bool = setting(True, "Make types, queries and mutations from the content-types.", name="shadowCRUD")
    playground_always: bool = setting(False, "Show the playground in production too.")
    introspection: bool = setting(True, "Answer questions about the schema.", default_doc="true outside production")
    depth_limit: int = setting(7, "Deepest nesting of an operation.", bounds=_AT_LEAST_ONE)
    amount_limit: int = setting(100, "Most items of any list.", bounds=_AT_LEAST_ONE)
    max_limit: int = setting(-1, "Also the most items of any list; -1 leaves it to `amountLimit`.", bounds=(-1, None))
    default_limit: int = setting(10, "Items of a list when an operation does not say.", bounds=_AT_LEAST_ONE)
    persisted_queries: bool = setting(
        True, "Let clients send the hash of a query in place of its text.", default_doc="true in profile v4"
    )
    tracing: bool = setting(False, "Tell in `extensions` of each answer how long each stage took.")
    limits: GraphqlLimits = table(GraphqlLimits, "The most that an operation may ask for.")
    cache: GraphqlCache = table(GraphqlCache, "What each worker remembers.")
    apollo_server: ApolloServer = table(ApolloServer, "Server options of a v4 project.")

    @property
    def most_items(self) -> int:
        """Of any list."""
        return self.amount_limit if self.max_limit < 1 else min(self.amount_limit, self.max_limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Graphql:
    """The GraphQL plugin."""

    enabled: bool = setting(True, "Use the plugin.")
    config: GraphqlConfig = table(GraphqlConfig)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugins:
    """Plugins: the built-in ones with known keys, others as they are written."""

    users_permissions: UsersPermissions = table(UsersPermissions, name="users-permissions")
    email: Email = table(Email)
    i18n: I18n = table(I18n)
    upload: Upload = table(Upload)
    graphql: Graphql = table(Graphql)
    others: Mapping[str, Mapping[str, Any]] = setting(
        {}, "Plugins of the project: any table.", name="<plugin>", others=True, entry_names="kebab"
    )


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
    first: FirstAdministrator = table(FirstAdministrator, "The first one, made at a start when there is none.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Secrets:
    """Secrets; they come from the environment or `.env` only.

    `jwt_secret` is `plugins.users_permissions.config.jwt_secret`, repeated here so that all secrets are in one place.
    """

    app_keys: tuple[str, ...] = setting((), "Keys kept for v4; comma separated.", variable="APP_KEYS", secret=True)
    api_token_salt: str | None = setting(
        None, "Salt under which API tokens are stored.", variable="API_TOKEN_SALT", secret=True
    )
    admin_jwt_secret: str | None = setting(
        None, "Secret that signs administrators' tokens.", variable="ADMIN_JWT_SECRET", secret=True
    )
    transfer_token_salt: str | None = setting(None, "Kept for v4.", variable="TRANSFER_TOKEN_SALT", secret=True)
    jwt_secret: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings of one project. `adopted` means that the folder has no configuration of Octavo's own."""

    project: Path
    mode: Mode = "development"
    adopted: bool = False
    server: Server = field(default_factory=Server)
    api: Api = field(default_factory=Api)
    database: Database = field(default_factory=Database)
    middlewares: Middlewares = field(default_factory=Middlewares)
    plugins: Plugins = field(default_factory=Plugins)
    admin: Admin = field(default_factory=Admin)
    secrets: Secrets = field(default_factory=Secrets)
    sources: Mapping[tuple[str, ...], str] = field(default_factory=dict, repr=False)

    @property
    def profile(self) -> Profile:
        """The compatibility profile."""
        return self.api.compat.profile

    @property
    def database_file(self) -> Path:
        """The SQLite file, absolute."""
        return self.project / self.database.filename


SECTIONS: Mapping[str, type[Any]] = {
    "server": Server,
    "api": Api,
    "database": Database,
    "middlewares": Middlewares,
    "plugins": Plugins,
    "admin": Admin,
    "secrets": Secrets,
}

FILES = tuple(name for name in SECTIONS if name != "secrets")

TABLES: Mapping[str, Table] = {
    name: read_table(model, (name,), (name,), (model.__doc__ or "").split("\n")[0]) for name, model in SECTIONS.items()
}
