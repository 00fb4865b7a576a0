"""Warn about valid but probably unintended settings: URLs without a scheme, conflicting paths, unknown plugins.

Some are errors in an Octavo project, but only warnings in a v4 project, which starts unchanged.
"""

import re
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Final

from octavo.core.forms.texts import is_web_link
from octavo.core.text_limits import close_match
from octavo.settings.files.plugins import BUILT_IN
from octavo.settings.model import Settings
from octavo.settings.problems import SettingsProblem
from octavo.settings.sources import placed

_URL: Final = ("server", "url")
_ADMIN: Final = ("admin", "path")
_REST: Final = ("api", "rest", "prefix")
_GRAPHQL: Final = ("plugins", "graphql", "config", "endpoint")
_ORIGINS: Final = ("middlewares", "cors", "origins")
_PLUGINS: Final = ("plugins", "others")
_REPLICAS: Final = ("database", "replicas")
_PROXIES: Final = ("server", "trusted_proxies")
_FOLDER: Final = ("server", "public_folder")
_CDN: Final = ("plugins", "upload", "config", "provider_options", "base_url")
_AZURE_CDN: Final = ("plugins", "upload", "config", "provider_options", "cdn_base_url")
_LEVELS: Final = ("server", "log", "levels")

_ANY_SCHEME: Final = re.compile(r"\s*[A-Za-z][A-Za-z0-9+.\s-]*:")
_HOST_AND_PORT: Final = re.compile(r"[A-Za-z0-9.-]+:\d+(/|$)")
"""What v4 projects may have instead of a URL: `localhost:1337`."""
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://.")
_LOGGERS: Final = ("octavo.access", "octavo.code")
"""Loggers that are not named after a module."""
_ALIKE: Final = 0.9


def unsafe(settings: Settings) -> Iterator[SettingsProblem]:
    """Yield links in settings that would run a script, or are not web links. They prevent any start."""
    options = settings.plugins.upload.config.provider_options
    for place, value in ((_URL, settings.server.url), (_CDN, options.base_url), (_AZURE_CDN, options.cdn_base_url)):
        scheme = _ANY_SCHEME.match(value or "")
        if scheme and not is_web_link(value) and not _HOST_AND_PORT.match(value or ""):
            yield placed(settings, place, "expected a URL that begins with http:// or https://")


def not_meant(settings: Settings) -> Iterator[SettingsProblem]:
    """Yield problems that prevent the start, except for v4 projects."""
    url = settings.server.url
    if url and not url.startswith(("http://", "https://")):
        yield placed(settings, _URL, "expected a URL that begins with http:// or https://")
    for origin in settings.middlewares.cors.origins:
        if origin not in ("*", "null") and not _SCHEME.match(origin):
            yield placed(
                settings, _ORIGINS, f"expected origins with their scheme, such as https://{origin or 'a.example'}"
            )
    yield from _shared_paths(settings)
    for name, table in settings.plugins.others.items():
        near = close_match(name, BUILT_IN, _ALIKE)
        if near is not None and "enabled" not in table:
            yield placed(settings, _PLUGINS, f"unknown plugin; did you mean {near}?", name)


def _shared_paths(settings: Settings) -> Iterator[SettingsProblem]:
    rest, graphql, pages = settings.api.rest.prefix, settings.plugins.graphql, settings.admin.path
    if not pages:
        yield placed(settings, _ADMIN, "expected a path such as /admin, not /")
    elif pages == rest:
        yield placed(settings, _ADMIN, f"expected a path other than api.rest.prefix, {rest}")
    if not graphql.enabled:
        return
    endpoint = graphql.config.endpoint
    if endpoint in (rest, pages):
        other = ("api.rest.prefix", _REST) if endpoint == rest else ("admin.path", _ADMIN)
        at = other[1] if other[1] in settings.sources else _GRAPHQL
        than = "plugins.graphql.config.endpoint" if at is other[1] else other[0]
        yield placed(settings, at, f"expected a path other than {than}, {endpoint}")


def lint_warnings(settings: Settings) -> Iterator[SettingsProblem]:
    """Yield warnings, which never prevent the start."""
    for name, table in settings.plugins.others.items():
        if "enabled" not in table:
            yield placed(settings, _PLUGINS, "has no effect: the plugin is neither built in nor `enabled`", name)
    if settings.database.replicas and settings.database.client == "sqlite":
        yield placed(settings, _REPLICAS, "has no effect: SQLite has no replicas")
    yield from _unknown_proxy(settings)
    folder = settings.server.public_folder
    if _FOLDER in settings.sources and not (settings.project / folder).is_dir():
        yield placed(settings, _FOLDER, f"the folder {folder} does not exist")
    for name in settings.server.log.levels:
        if name.startswith("octavo.") and name not in _LOGGERS and not _is_module(name):
            yield placed(settings, _LEVELS, "Octavo has no logger of this name", name)


def _unknown_proxy(settings: Settings) -> Iterator[SettingsProblem]:
    """Warn if the public URL is HTTPS without a configured proxy: Octavo does not serve TLS itself."""
    server = settings.server
    knows_proxy = bool(server.trusted_proxies) or server.unix_socket is not None
    if settings.mode == "production" and server.url.startswith("https://") and not knows_proxy:
        advice = "list its addresses: until then limits per client do not apply, and logs show the proxy's address"
        yield placed(settings, _PROXIES, f"server.url begins with https://, but no proxy is trusted; {advice}")


def _is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        return False
