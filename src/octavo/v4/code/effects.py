"""Describe what code does, effects first: sends mail, deletes, writes, calls other services, reads.

Calls of the project's own functions are followed, so that code which delegates its work is described by that work.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from tree_sitter import Node

from octavo.core.values import dataclass
from octavo.v4.code.describing import called, refuses
from octavo.v4.code.effect_names import (
    CALLS,
    DELETES,
    EFFECTS,
    FILES,
    MAIL,
    READS,
    SQL,
    UPLOADS,
    WEBHOOKS,
    WRITES,
)
from octavo.v4.code.references import Thing
from octavo.v4.code.services import ServiceResolver
from octavo.v4.code.sources import Sources
from octavo.v4.javascript.modules import bindings_of, required
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.syntax import FUNCTIONS, callee, member_path, unwrap, walk

_SERVICE: Final = "calls the service"
_SETS: Final = "sets the response"
_LONGEST_NAME: Final = 300
_MOST_FACTS: Final = 6
_MOST_STEPS: Final = 8
_MOST_FOLLOWED: Final = 200
"""Maximum number of functions to follow for one description."""
_MOST_NODES: Final = 100_000

_DELETING: Final = re.compile(r"^(delete|remove)(One|Many)?$")
_WRITING: Final = re.compile(r"^(create|update|upsert|insert|publish|unpublish)(Many|OrUpdate)?$")
_READING: Final = re.compile(r"^(find(One|Many|Page|WithCount|First)?|count|load|search)$")
_STORES: Final = frozenset(("strapi", "entityService", "db", "query", "service", "documents"))
_USERS: Final = frozenset(("add", "edit"))
_MAILERS: Final = re.compile(r"mail|transporter|postmark|sendgrid|resend|smtp", re.IGNORECASE)
_CONTEXTS: Final = frozenset(("ctx", "context", "res", "response", "reply"))
_BY_PACKAGE: Final = {
    **dict.fromkeys(
        (
            *("axios", "fetch", "node-fetch", "cross-fetch", "undici", "got", "ky", "request", "superagent", "needle"),
            *("http", "https", "node:http", "node:https", "stripe", "openai", "twilio", "algoliasearch", "meilisearch"),
            *("firebase-admin", "aws-sdk", "googleapis", "web-push", "onesignal-node", "pusher", "razorpay"),
        ),
        CALLS,
    ),
    **dict.fromkeys(("nodemailer", "@sendgrid/mail", "mailgun.js", "mailgun-js", "resend", "postmark"), MAIL),
    **dict.fromkeys(("fs", "fs-extra", "fs/promises", "node:fs", "node:fs/promises"), FILES),
}
"""The effects of packages, and of their names in code."""
_PREPARING: Final = frozenset(("create", "createTransport", "setApiKey", "client", "config", "existsSync", "join"))
"""Functions of packages that only prepare other calls."""
_BY_NAME: Final = {
    **dict.fromkeys(("slugify", "slug", "getSlug", "generateSlug", "generateUIDField"), "creates slugs"),
    **dict.fromkeys(("sendMail", "sendEmail", "sendTemplatedEmail", "sendTransacEmail"), MAIL),
    **dict.fromkeys(("raw", "rawQuery"), SQL),
    **dict.fromkeys(("createWebhook", "updateWebhook"), WEBHOOKS),
    "redirect": "redirects",
    "routes": "adds routes",
}
_CALLS_OR_NEW: Final = ("call_expression", "new_expression")
_ASSIGNMENTS: Final = ("assignment_expression", "augmented_assignment_expression")
_NAMES: Final = ("identifier", "shorthand_property_identifier", "member_expression")


_Key = tuple[str, int]


@dataclass(frozen=True, slots=True)
class _Function:
    """The facts of one function, in order, and the functions of the project that it calls."""

    facts: tuple[str, ...]
    calls: tuple[Thing, ...]


class Describer:
    """Describes pieces of code of one project. Each function is read once."""

    def __init__(self, sources: Sources) -> None:
        self._resolver = ServiceResolver(sources)
        self._known: dict[_Key, _Function] = {}

    def describe(self, module: Module, node: Node, nothing: str = "custom code") -> str:
        """Describe the code below a node: `sends HTTP requests; sets title; can reject`."""
        start = _thing(module, unwrap(node))
        if node.type in _NAMES:
            start = next(filter(_is_function, self._resolver.targets(module, node, None)), start)
        below = self._below(start)
        own = self._read(start).facts
        effects: list[str] = [effect for effect in EFFECTS if effect in below]
        effects += dict.fromkeys(fact for fact in (*own, *filter(_is_unknown, below)) if fact not in EFFECTS)
        return "; ".join(effects[:_MOST_FACTS]) if effects else nothing

    def _below(self, start: Thing) -> dict[str, None]:
        """Return the facts of a function and of those that it calls."""
        waiting, seen, facts = [start], {_key(start)}, dict[str, None]()
        while waiting and len(seen) < _MOST_FOLLOWED:
            function = self._read(waiting.pop())
            facts |= dict.fromkeys(function.facts)
            for thing in function.calls:
                if _key(thing) not in seen:
                    seen.add(_key(thing))
                    waiting.append(thing)
        return facts

    def _read(self, thing: Thing) -> _Function:
        key = _key(thing)
        if key not in self._known:
            facts, calls = list[str](), list[Thing]()
            if thing.module is not None and thing.node is not None:
                self._collect(thing.module, thing.node, thing.this, facts, calls)
            self._known[key] = _Function(tuple(dict.fromkeys(facts)), tuple(calls))
        return self._known[key]

    def _collect(self, module: Module, node: Node, this: Thing | None, facts: list[str], calls: list[Thing]) -> None:
        fields: list[str] = []
        for descendant in islice(walk(node), _MOST_NODES):
            if descendant.type in _ASSIGNMENTS:
                facts += _assigned(module, descendant, fields)
            elif descendant.type in _CALLS_OR_NEW:
                function = descendant.child_by_field_name("function") or descendant.child_by_field_name("constructor")
                followed = [] if function is None else self._followed(module, function, this)
                calls += followed
                facts += _call(module, descendant, is_followed=bool(followed))
            if refuses(module, descendant):
                facts.append("can reject")
        if fields:
            facts.append(f"sets {', '.join(dict.fromkeys(fields))}")

    def _followed(self, module: Module, function: Node, this: Thing | None) -> list[Thing]:
        """Return the project's functions that a call may call."""
        return [thing for thing in self._resolver.targets(module, function, this) if _is_function(thing)]


def _thing(module: Module, node: Node) -> Thing:
    """Return code with the object that `this` is in it."""
    owner = node.parent if node.type == "method_definition" else node.parent and node.parent.parent
    this = Thing("code", module, owner) if owner is not None and owner.type == "object" else None
    return Thing("code", module, node, this=this)


def _is_function(thing: Thing) -> bool:
    return thing.what == "code" and thing.node is not None and thing.node.type in FUNCTIONS


def _is_unknown(fact: str) -> bool:
    return fact.startswith(_SERVICE)


def _key(thing: Thing) -> _Key:
    return (thing.module.file if thing.module else "", thing.node.id if thing.node else 0)


def _assigned(module: Module, node: Node, fields: list[str]) -> Iterator[str]:
    left = node.child_by_field_name("left")
    path = member_path(module, left) if left is not None else ()
    if "data" in path[:-1]:
        fields.append(path[-1])
    elif path[:2] in (("ctx", "query"), ("context", "query")):
        yield f"changes the query ({'.'.join(path[2:]) or 'all parameters'})"
    elif path[-1:] == ("where",) or "where" in path[1:-1] or "filters" in path[1:-1]:
        yield "changes the filters"
    elif path[1:2] == ("body",) or path[1:3] == ("request", "body"):
        yield _SETS if path[1] == "body" else "changes the request body"


def _call(module: Module, node: Node, *, is_followed: bool) -> Iterator[str]:
    chain = called(module, node)
    if not chain:
        return
    known = _known_effect(module, node, chain)
    if known:
        yield known
    elif not is_followed:
        yield from filter(None, [_store_effect(chain) or _unknown_service(node, chain)])


def _known_effect(module: Module, node: Node, chain: tuple[str, ...]) -> str:
    """Return the effect of a call by its package or its name; empty for any other."""
    last = chain[-1]
    package = _BY_PACKAGE.get(_package(module, chain[0]), "")
    if package and not (len(chain) == len(("axios", "create")) and last in _PREPARING):
        return package
    match last:
        case _ if chain[0] == "super":
            return f"calls the core action {last}"
        case "send":
            return _SETS if chain[0] in _CONTEXTS else MAIL if _mails(module, node) else "sends a message"
        case "upload" if "upload" in chain[:-1]:
            return UPLOADS
        case "get" if chain[-2:-1] == ("requestContext",):
            return "reads the request"
    return _BY_NAME.get(last, "")


def _mails(module: Module, node: Node) -> bool:
    """Return whether a call of `send` sends mail: `strapi.plugin("email").service("email").send`."""
    function = node.child_by_field_name("function")
    return function is not None and _MAILERS.search(module.excerpt(function, _LONGEST_NAME)) is not None


def _unknown_service(node: Node, chain: tuple[str, ...]) -> str:
    """Return that a call is one of a service that cannot be followed; empty for any other."""
    function = node.child_by_field_name("function")
    if chain[0] != "strapi" or "service" not in chain or function is None:
        return ""
    if chain[-1] != "service":
        return f"{_SERVICE} function {chain[-1]}"
    return f"{_SERVICE} that a function returns" if function.type == "call_expression" else ""


def _store_effect(chain: tuple[str, ...]) -> str:
    """Return what a call does to entries; empty for none."""
    last = chain[-1]
    if _STORES.isdisjoint(chain[:-1]):
        return ""
    if _DELETING.match(last):
        return DELETES
    if _WRITING.match(last) or (last in _USERS and "service" in chain and {"plugin", "plugins"} & set(chain)):
        return WRITES
    return READS if _READING.match(last) else ""


def _package(module: Module, name: str) -> str:
    """Return the package that a name comes from: imported, or made by a call of an import; else the name."""
    bindings = bindings_of(module)
    for _ in range(_MOST_STEPS):
        binding = bindings.get(name)
        if binding is None:
            return name
        if binding.imported is not None:
            return binding.imported.specifier
        value = unwrap(binding.value) if binding.value is not None else None
        imported = None if value is None else required(module, value)
        chain = (callee(module, value) or called(module, value)) if value is not None else ()
        if imported is not None or not chain or chain[0] == name:
            return name if imported is None else imported.specifier
        name = chain[0]
    return name
