"""Counterparts of the v4 packages that projects depend on: a table, and rules for the rest."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from octavo.settings.files.plugin_email import EMAIL_PROVIDERS
from octavo.settings.files.plugin_upload import UPLOAD_PROVIDERS
from octavo.v4.adoption.report import Plugin, Verdict

_WORKS, _INSTEAD, _IDLE, _ABSENT = Verdict.WORKS, Verdict.INSTEAD, Verdict.IDLE, Verdict.ABSENT

_STORED: Final = "its fields are stored and served as in v4"
_PANEL: Final = "changes only v4's panel, not the API"
_PART: Final = "part of v4 or of its panel"
_CACHE: Final = "responses are fast without it; for more speed, use an HTTP cache or a CDN (docs/caching.md)"
_OUTSIDE: Final = "its entries stay in the database; for scheduled tasks, write `src/cron.py`"
_INDEX: Final = "fill the search index from the API, or search with `$containsi` filters"
_LIST: Final = "create the sitemap in the front end, from the API"

_TABLE: Final[tuple[tuple[tuple[str, ...], Verdict, str], ...]] = (
    (("graphql",), _WORKS, "docs/graphql.md"),
    (("i18n",), _WORKS, "locales and localizations as in v4; `octavo locales`"),
    (("users-permissions",), _WORKS, "docs/accounts.md; `octavo users`, `octavo roles`, `octavo permissions`"),
    (("upload",), _WORKS, "docs/uploads.md"),
    (("email",), _WORKS, "sends the mails of accounts; docs/settings.md"),
    (("populate-deep",), _WORKS, "supports `populate=deep`; docs/rest-api.md"),
    (
        ("ckeditor", "ckeditor5", "tinymce", "tiptap-editor", "react-md-editor", "wysiwyg-react-md-editor"),
        _WORKS,
        _STORED,
    ),
    (("color-picker", "multi-select", "multi-select-field", "multi-country-select", "tagsinput"), _WORKS, _STORED),
    (("country-select", "timezone-select", "oembed", "video-field", "table-field", "location-field"), _WORKS, _STORED),
    (("icon-picker", "icons-field", "react-icons", "fontawesome", "phone-validator", "field-uuid"), _WORKS, _STORED),
    (
        ("advanced-uuid", "remote-select", "code-editor-custom-field", "geometry-fields", "google-maps"),
        _WORKS,
        f"{_STORED}; send values that the plugin generated with the entry",
    ),
    (("seo",), _WORKS, "its components are regular content"),
    (
        ("documentation",),
        _WORKS,
        "generated at the same URLs; in production only with `always`; docs/openapi.md",
    ),
    (("sentry",), _INSTEAD, "the log contains errors with a traceback; forward them with your log collector"),
    (
        ("import-export-entries", "import-export", "content-export-import", "import-export-content"),
        _INSTEAD,
        "`octavo export` and `octavo import` (docs/moving-data.md)",
    ),
    (
        ("transformer", "response-transformer", "flat-response"),
        _ABSENT,
        "responses keep `data` and `attributes`; unwrap them in the client (v4's client libraries have functions for "
        "it), or use GraphQL",
    ),
    (
        ("slugify",),
        _ABSENT,
        "slugs are not generated: send them, or use a `uid` field with `targetField`; "
        "`findOne` by slug is `?filters[slug][$eq]=...`",
    ),
    (("meilisearch", "algolia", "typesense", "elasticsearch", "fuzzy-search", "local-search"), _ABSENT, _INDEX),
    (
        ("navigation", "menus", "tree-menus"),
        _ABSENT,
        "its URLs return 404 and its tables stay; model menus as a content type, or keep v4 for them",
    ),
    (("sitemap",), _ABSENT, _LIST),
    (("url-alias", "webtools", "path"), _ABSENT, "resolve URLs with a filter on a field of the entry"),
    (("preview-button", "entity-relationship-chart", "duplicate-button", "entity-notes", "notes"), _IDLE, _PANEL),
    (
        ("cloud", "content-versioning", "todo", "content-type-explorer", "publisher-button", "schemas-to-ts"),
        _IDLE,
        _PANEL,
    ),
    (
        ("config-sync",),
        _INSTEAD,
        "roles and permissions stay in the database; script them with `octavo roles` and `octavo permissions`",
    ),
    (("rest-cache", "rest-cache-memory", "rest-cache-redis", "rest-cache-couchbase", "lru-cache"), _IDLE, _CACHE),
    (("redis",), _IDLE, "not required; sign-in attempts can be counted in Redis (docs/settings.md)"),
    (("scheduler", "publisher", "scheduled-publishing", "cron"), _ABSENT, _OUTSIDE),
    (
        ("email-designer", "email-templates", "email-designer-5"),
        _ABSENT,
        "mails of accounts use the templates in the database; the plugin's designs stay there unused",
    ),
    (("comments", "reactions", "ratings", "ezforms", "stripe", "strapi-stripe"), _ABSENT, "its URLs return 404"),
    (("io", "socket-io"), _ABSENT, "no WebSockets; use the event stream (docs/events.md), or poll"),
    (
        ("sso", "google-auth", "firebase-auth", "passwordless", "magic-link"),
        _ABSENT,
        "users sign in with a password or the providers in docs/accounts.md",
    ),
    (
        ("blurhash", "placeholder", "local-image-sharp", "image-optimizer", "responsive-image", "image-manipulation"),
        _ABSENT,
        "images are resized to `breakpoints`; existing files keep its data, new files have none",
    ),
    (("translate", "auto-translate", "deepl"), _IDLE, _PANEL),
    (("vercel-deploy", "netlify-deployments", "github-publish", "website-builder"), _IDLE, _PANEL),
    (("local-plugins",), _IDLE, _PART),
)
_BY_NAME: Final[Mapping[str, tuple[Verdict, str]]] = {
    name: (verdict, says) for names, verdict, says in _TABLE for name in names
}
_OLD: Final = re.compile(r"^strapi-(utils|admin|helper-plugin|generate.*|hook-.*|connector-.*)$")
_PARTS: Final = re.compile(
    r"^@strapi/(strapi|utils|icons|design-system|helper-plugin|typescript-utils|types|admin|permissions|database|logger|"
    r"data-transfer|cloud-cli|pack-up|sdk-plugin|core|content-.*|plugin-content-.*|parse-.*|eslint-config|generate.*)$"
)
_NAME: Final = re.compile(r"^(?:@[\w.-]+/)?(?:strapi-)?(?:v4-)?(?P<kind>plugin-|provider-)?(?:strapi-)?(?P<name>.+)$")
_ENDING: Final = re.compile(r"-(?:strapi|plugin|v4|field)$")
_PROVIDERS: Final = {
    "upload": (UPLOAD_PROVIDERS, "docs/uploads.md"),
    "email": (EMAIL_PROVIDERS, "docs/settings.md"),
}


def counterparts(packages: Mapping[str, str]) -> Iterator[Plugin]:
    """Yield the dependencies of a project that belong to v4. `packages` maps names to versions."""
    for package in sorted(packages):
        if "strapi" in package.lower():
            yield Plugin(package, packages[package], *_judged(package))


def _judged(package: str) -> tuple[Verdict, str]:
    if package == "@strapi/strapi":
        return _WORKS, "replaced by Octavo"
    if _PARTS.match(package):
        return _IDLE, _PART
    if _OLD.match(package):
        return _IDLE, "part of version 3, not used by v4"
    match = _NAME.match(package.lower())
    name = match["name"] if match else package
    for short in (name, _ENDING.sub("", name)):
        if short in _BY_NAME:
            return _BY_NAME[short]
    if match and match["kind"] == "provider-":
        return _provider(package, name)
    return _ABSENT, "unknown: the plugin does not run, and its fields and tables stay unchanged"


def _provider(package: str, name: str) -> tuple[Verdict, str]:
    kind = next((kind for kind in _PROVIDERS if name.startswith(f"{kind}-")), None)
    for ways, page in _PROVIDERS.values():
        if _knows(ways.values(), package):
            return _WORKS, f"the same provider and settings; {page}"
    if kind is None:
        return _ABSENT, "unknown provider"
    ways, page = _PROVIDERS[kind]
    return _ABSENT, f"supported {kind} providers: {', '.join(ways)}; {page}"


def _knows(names: Iterable[tuple[str, ...]], package: str) -> bool:
    return any(package in group for group in names)
