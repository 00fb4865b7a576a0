"""The contents of the Python API reference: sections, classes and functions, in order."""

from collections.abc import Sequence
from typing import Any, Final

import octavo.sdk as code
from octavo import testing
from octavo.access.authorization.actor import Actor
from octavo.access.authorization.admin.conditions import Holder
from octavo.api.graphql.customization.extension import Extension, ShadowCrud, ShadowField
from octavo.api.http.body import Body
from octavo.content.core_store import CoreStore
from octavo.content.slugs import slugify
from octavo.core.values import dataclass
from octavo.events.event import Params
from octavo.project import routes
from octavo.sdk import entries, entry_reads, streams
from octavo.sdk.app import Plugin
from octavo.sdk.code_cache import CodeCache
from octavo.sdk.conditions import Conditions
from octavo.sdk.custom_settings import Custom
from octavo.sdk.http_client import HttpClient
from octavo.sdk.mail import Mail
from octavo.testing import mails


@dataclass(frozen=True, slots=True)
class Item:
    """A class or function on the page: how code gets it, and the attributes and methods to show.

    `hidden` names members that are public in the code, but not meant for project code.
    """

    kind: Any
    source: str = ""
    attributes: Sequence[tuple[str, str]] = ()
    hidden: Sequence[str] = ()
    has_constructor: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with a sentence and its items."""

    title: str
    text: str
    items: Sequence[Item]


def _error(kind: type[Exception], source: str = "") -> Item:
    return Item(kind, source, hidden=("as_json", "from_problems"))


SECTIONS: Final = (
    Section(
        "App",
        "`app` is the argument of `register(app)` and `bootstrap(app)`. It is also `request.app`, `event.app`, "
        "`context.app`, and `self.app` in controllers and services.",
        (
            Item(
                code.App,
                attributes=(("settings", "the [settings](settings.md)"), ("registry", "the definitions of all types")),
            ),
            Item(
                Plugin,
                "app.plugin(name)",
                (("name", "the plugin's name"), ("services", "its services by name"), ("config", "its settings")),
            ),
            Item(code.Transaction, "app.transaction()"),
            Item(Mail, "app.mail"),
            Item(HttpClient, "app.http"),
            Item(
                code.HttpAnswer,
                "await app.http.get(url)",
                (
                    ("status", "the status code"),
                    ("headers", "the headers, by lower-case name"),
                    ("content", "the body as bytes"),
                    ("url", "the URL, after redirects"),
                ),
            ),
            Item(CodeCache, "app.cache"),
            Item(CoreStore, "app.store(type, name)"),
            Item(Custom, "app.custom"),
            Item(Conditions, "app.conditions"),
            Item(
                Holder,
                "the argument of a condition",
                (
                    ("id", "the administrator's id"),
                    ("email", "the email address"),
                    ("role_ids", "the ids of the roles"),
                ),
            ),
        ),
    ),
    Section(
        "Content",
        "Read and write entries: see [app.entries](extending.md#content-appentries) and "
        "[app.query](extending.md#rows-and-sums-appquery).",
        (
            Item(code.Entries, "app.entries(uid)"),
            Item(
                code.Entry,
                "await app.entries(uid).find_one(id)",
                (("uid", "the UID of the content type"), ("meta", "the `meta` of the REST response, or `None`")),
            ),
            Item(
                code.EntryPage,
                "await app.entries(uid).find_page()",
                (
                    ("entries", "the entries of this page"),
                    ("total", "the number of entries on all pages"),
                    ("page", "the page number, from 1"),
                    ("page_size", "the number of entries on a full page"),
                ),
                has_constructor=True,
            ),
            Item(code.RowQuery, "app.query(uid)"),
            Item(code.Count, has_constructor=True),
            Item(code.Sum, has_constructor=True),
            Item(code.Average, has_constructor=True),
            Item(code.Least, has_constructor=True),
            Item(code.Greatest, has_constructor=True),
            Item(slugify),
        ),
    ),
    Section(
        "REST",
        "See [REST in code](extending-rest.md).",
        (
            Item(code.Route, hidden=("of",), has_constructor=True),
            Item(code.CoreRouter, hidden=("has", "route_config", "named"), has_constructor=True),
            Item(code.Controller, attributes=(("app", "the app"), ("uid", "the controller's UID"))),
            Item(code.Service, attributes=(("app", "the app"), ("uid", "the service's UID"))),
            Item(
                code.Request,
                "the argument of actions and middlewares",
                (
                    ("app", "the app"),
                    ("state", "a [State](#state), shared by all code of the request"),
                    ("route", "the route, such as `GET /talks/:id`"),
                    ("raw", "the HTTP request"),
                ),
                hidden=("of", "enter", "for_core"),
            ),
            Item(
                Body,
                "await request.form()",
                (("value", "the fields or the JSON value"), ("files", "pairs of field name and file")),
            ),
            Item(code.Response),
            Item(
                code.Answer,
                "the result of core actions and of the methods of `Response`",
                (
                    ("status", "the status code"),
                    ("headers", "the headers, by lower-case name"),
                    ("cookies", "the `Set-Cookie` headers, as a list"),
                ),
                hidden=("render",),
            ),
            Item(
                code.PolicyContext,
                "the first argument of policies",
                (
                    ("door", '`"rest"` or `"graphql"`'),
                    ("app", "the app"),
                    ("actor", "the caller, an [Actor](#actor)"),
                    ("state", "a [State](#state), shared by all code of the request"),
                    ("args", "the field's arguments; over REST, the query and path parameters"),
                    ("params", "the path parameters"),
                    ("request", "the request, or `None` in policies of `resolvers_config`"),
                    ("parent, context, info", "the resolver's arguments, over GraphQL"),
                ),
            ),
            Item(
                Actor,
                "request.actor and event.actor",
                (
                    ("kind", "`anonymous`, `user`, `api-token`, `administrator` or `system`"),
                    ("id", "the id of the user, API token or administrator"),
                    ("role_id", "the id of the user's or the public role"),
                    ("role", "the type of that role"),
                    ("username", "the user's name"),
                    ("email", "the email address of a user or administrator"),
                ),
                hidden=("creator_id",),
            ),
            Item(code.State, "request.state"),
        ),
    ),
    Section(
        "GraphQL",
        "See [GraphQL in code](extending-graphql.md).",
        (
            Item(
                Extension,
                'app.plugin("graphql").service("extension")',
                hidden=("used", "is_extended", "is_empty", "exclusions"),
            ),
            Item(ShadowCrud, "extension.shadow_crud(uid)"),
            Item(ShadowField, "extension.shadow_crud(uid).field(name)"),
            Item(
                code.Context,
                "the third argument of resolvers",
                (
                    ("app", "the app"),
                    ("actor", "the caller, an [Actor](#actor)"),
                    ("client", "the client's IP address"),
                    ("state", "a [State](#state), shared by all code of the request"),
                ),
            ),
        ),
    ),
    Section(
        "Hooks",
        "See [Hooks](hooks.md).",
        (
            Item(
                code.Event,
                "the argument of hooks",
                (
                    ("action", "the name of the hook, such as `before_create`"),
                    ("uid", "the UID of the content type"),
                    ("id", "the entry's id, or `None` before it is created"),
                    ("params", "a [Params](#params)"),
                    ("result", "the entry, or the result of a read"),
                    ("state", "a dictionary that the hooks of one change share"),
                    ("actor", "the caller, an [Actor](#actor)"),
                    ("source", "`rest`, `graphql`, `admin`, `schedule` or `code`"),
                    ("app", "the app"),
                ),
            ),
            Item(
                Params,
                "event.params",
                (
                    ("data", "the data to write"),
                    ("where", 'the entry to change, such as `{"id": 7}`'),
                    ("locale", "the locale, or `None`"),
                    ("filters", "before a read: additional filters"),
                    ("populate", "before a read: additional relations to populate"),
                ),
            ),
        ),
    ),
    Section(
        "Errors",
        "Raise these errors to return an error response. Each takes `(message=None, details=None)`: a string, and a "
        "JSON object for `error.details`. See [Errors](errors.md) for the form of the response.",
        (
            Item(code.OctavoError, has_constructor=True),
            _error(code.ValidationError),
            _error(code.ApplicationError),
            _error(code.BadRequestError),
            _error(code.UnauthorizedError),
            _error(code.ForbiddenError),
            _error(code.PolicyError),
            _error(code.NotFoundError),
            _error(code.RateLimitError),
            _error(code.HttpError),
            _error(code.MailProblem),
            _error(code.ServiceUnavailable),
            _error(code.OutsideTransaction),
            _error(code.UnknownName),
        ),
    ),
    Section(
        "Tests",
        "Import these from `octavo.testing`. See [Tests of a project](testing.md).",
        (
            Item(testing.open_site, "octavo.testing"),
            Item(
                testing.Site,
                "the fixture `site`",
                hidden=("registry", "close"),
            ),
            Item(
                testing.User,
                "await site.user()",
                (
                    ("id", "the user's id"),
                    ("username, email, password", "the credentials"),
                    ("jwt", "a token for `Authorization: Bearer`"),
                ),
            ),
            Item(mails.Mail, "site.mails", (("message", "the whole `email.message.EmailMessage`"),)),
            _error(testing.GraphqlFailed, "octavo.testing"),
            _error(testing.CannotMake, "octavo.testing"),
            _error(testing.NotDelivered, "octavo.testing"),
        ),
    ),
)

ALIASES: Final = (
    (entry_reads, "Data"),
    (entry_reads, "Populate"),
    (entries, "Target"),
    (entries, "Targets"),
    (routes, "Auth"),
    (routes, "Named"),
    (streams, "Pieces"),
)
"""Names of types in signatures."""
