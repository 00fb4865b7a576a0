"""Details on the start page of a development server: links, and the content types with their URLs and permissions."""

from collections.abc import Awaitable, Callable
from typing import Final

from octavo.access.authentication.authenticator import Authenticator
from octavo.access.authorization.ability import Ability
from octavo.access.authorization.actions import list_content_actions
from octavo.api.http.router import Router
from octavo.core.markup import escape
from octavo.operations.runtime.options import documentation_options
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry
from octavo.settings import Settings

_TABLE: Final = """<h2>Content types</h2>
<table>
<tr><th>Content type</th><th>URL</th><th>Public access</th></tr>
{rows}
</table>
<p>To allow public access to one: <code>octavo permissions grant public 'api::NAME.NAME.find*'</code></p>
"""
_NONE: Final = """<h2>Content types</h2>
<p>No content types yet. Create one on the admin pages, or with <code>octavo generate content-type</code>.</p>
"""


def add_overview(router: Router, settings: Settings, registry: Registry, authenticator: Authenticator) -> None:
    """Show details on the start page in development. In production they would reveal the names of content types."""
    if settings.mode == "development":
        router.overview = _overview(router, settings, registry, authenticator)


def _overview(
    router: Router, settings: Settings, registry: Registry, authenticator: Authenticator
) -> Callable[[], Awaitable[str]]:
    async def overview() -> str:
        public = (await authenticator.authenticate(None)).ability
        return _links(settings) + _types(router, settings, registry, public)

    return overview


def _links(settings: Settings) -> str:
    has_admin = settings.admin.panel != "off" and settings.secrets.admin_jwt_secret
    shown = [(settings.admin.path, "admin pages")] if has_admin else []
    documentation = documentation_options(settings)
    if documentation is not None:
        shown.append((documentation.path, "documentation of the REST API"))
    if settings.plugins.graphql.enabled:
        shown.append((settings.plugins.graphql.config.endpoint, "GraphQL"))
    base = settings.server.base_path
    items = "".join(f"<li>{_link(base + path)}: {escape(text)}</li>\n" for path, text in shown)
    return f"<ul>\n{items}</ul>\n" if items else ""


def _link(path: str) -> str:
    return f'<a href="{escape(path)}">{escape(path)}</a>'


def _types(router: Router, settings: Settings, registry: Registry, public: Ability) -> str:
    actions = list_content_actions(registry)
    rows = [
        _row(router, item, settings, actions, public)
        for item in sorted(registry.api_types(), key=lambda one: one.display_name.lower())
    ]
    return _TABLE.format(rows="\n".join(rows)) if rows else _NONE


def _row(router: Router, item: ContentType, settings: Settings, actions: tuple[str, ...], public: Ability) -> str:
    path = f"{settings.api.rest.prefix}/{item.singular_name if item.is_single else item.plural_name}"
    shown = _link(settings.server.base_path + path) if "GET" in router.methods(path) else "not served"
    begin = f"{item.uid}."
    allowed = [one.removeprefix(begin) for one in actions if one.startswith(begin) and public.allows(one)]
    cells = (escape(item.display_name), shown, escape(", ".join(allowed)) or "none")
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
