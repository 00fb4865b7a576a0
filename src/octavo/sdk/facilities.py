"""The services of `app` besides content: email, HTTP requests, log, cache, custom settings."""

import logging
from typing import Any, Final

from octavo.access.authorization.admin.engine import AbilityBuilder
from octavo.core.cache import Cache
from octavo.core.mail.mailers import Mailer
from octavo.core.values import dataclass
from octavo.sdk.builtin_rules import BuiltinRules
from octavo.sdk.code_cache import CodeCache
from octavo.sdk.conditions import Conditions
from octavo.sdk.custom_settings import Custom
from octavo.sdk.http_client import HttpClient
from octavo.sdk.mail import Mail
from octavo.settings import Settings

_HTTP_SECONDS: Final = 10.0
"""Timeout of an outgoing request that sets none."""


@dataclass(frozen=True, slots=True)
class Facilities:
    """Each is a property of `app`, except the rules of built-in types."""

    mail: Mail
    http: HttpClient
    log: logging.Logger
    cache: CodeCache
    custom: Custom
    conditions: Conditions
    rules: BuiltinRules


def make_facilities(
    settings: Settings, mailer: Mailer, cache: Cache[str, Any], rules: BuiltinRules, rights: AbilityBuilder
) -> Facilities:
    """Create the services of a site from its settings."""
    http = settings.server.http
    return Facilities(
        mail=Mail(mailer, settings.project),
        http=HttpClient(frozenset(http.private_hosts), _HTTP_SECONDS, http.max_response_size),
        log=logging.getLogger(f"project.{settings.project.resolve().name}"),
        cache=CodeCache(cache),
        custom=Custom(settings.server.custom),
        conditions=Conditions(rights),
        rules=rules,
    )
