"""What `app` has besides content: mail, requests, a log, a cache, settings of the project's own."""

import logging
from typing import Any

from octavo.authorization.rights.engine import Rights
from octavo.cache import Cache
from octavo.mail.mailers import Mailer
from octavo.project.api.code_cache import CodeCache
from octavo.project.api.conditions import Conditions
from octavo.project.api.custom import Custom
from octavo.project.api.http_client import HttpClient
from octavo.project.api.mail import Mail
from octavo.project.api.own_rules import OwnRules
from octavo.settings import Settings
from octavo.values import dataclass


@dataclass(frozen=True, slots=True)
class Facilities:
    """Each is a property of `app`, but for the rules that entries of built-in types have besides."""

    mail: Mail
    http: HttpClient
    log: logging.Logger
    cache: CodeCache
    custom: Custom
    conditions: Conditions
    rules: OwnRules


def make_facilities(
    settings: Settings, mailer: Mailer, cache: Cache[str, Any], rules: OwnRules, rights: Rights
) -> Facilities:
    """Those of a site, as its settings say."""
    http = settings.server.http
    return Facilities(
        mail=Mail(mailer, settings.project),
        http=HttpClient(frozenset(http.private_hosts), http.timeout, http.largest_answer),
        log=logging.getLogger(f"project.{settings.project.resolve().name}"),
        cache=CodeCache(cache),
        custom=Custom(settings.server.custom),
        conditions=Conditions(rights),
        rules=rules,
    )
