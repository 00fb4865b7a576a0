"""Translate members (`a.b`) of the context, of `strapi` and of data, and imported names."""

import re
from collections.abc import Callable
from typing import Final

from tree_sitter import Node

from octavo.v4.adoption.drafts.python import Binds, Py, bracketed, text_literal
from octavo.v4.adoption.drafts.scope import Scope, Untranslated
from octavo.v4.javascript.modules import Binding, Import
from octavo.v4.javascript.syntax import named

GLOBALS: Final = frozenset(
    (
        *("JSON", "Math", "Object", "Array", "Promise", "Date", "console", "process"),
        *("parseInt", "parseFloat", "Number", "String", "Boolean", "isNaN", "fetch", "encodeURIComponent"),
    )
)
ERRORS: Final = frozenset(
    (
        *("ApplicationError", "ValidationError", "NotFoundError", "ForbiddenError", "UnauthorizedError"),
        *("PolicyError", "PaginationError"),
    )
)
"""Error classes with the same name in v4 and Octavo."""

_PACKAGES: Final = {
    "axios": "axios",
    "node-fetch": "global fetch",
    "cross-fetch": "global fetch",
    "slugify": "slugify",
    "@sindresorhus/slugify": "slugify",
    "lodash": "lodash",
    "@strapi/utils": "utils",
    "uuid": "uuid",
    "crypto": "crypto",
    "node:crypto": "crypto",
}
_GOT: Final = re.compile(r"\.get\((\"(?:[^\"\\]|\\.)*\")\)$")
_MANY: Final = re.compile(r"(await [\w.]+\.entries\([^()]*\))\.find_many\(")
_CTX: Final = {
    "query": (".query", "query"),
    "params": (".params", "params"),
    "request": ("", "ctx.request"),
    "state": (".state", "ctx.state"),
    "headers": ("", "headers"),
    "header": ("", "headers"),
    "method": (".method", "text"),
    "path": (".path", "text"),
    "ip": (".client", "text"),
    "url": (".path", "text"),
    "response": ("", "ctx"),
    "cookies": ("", "ctx.cookies"),
}
_POLICY: Final = {
    "params": (".params", "params"),
    "args": (".args", "dict"),
    "state": (".state", "ctx.state"),
    "query": (".request.query", "query"),
    "request": (".request", "ctx.request"),
}
_EVENT: Final = {
    "params": (".params", "event.params"),
    "result": (".result", "result"),
    "state": (".state", "dict"),
    "action": (".action", "text"),
    "model": ("", "event.model"),
}
_STRAPI: Final = frozenset(("entityService", "db", "log", "plugins", "services", "requestContext", "config"))
_KNOWN_KEYS: Final = {
    "answer": {"data": "", "meta": "dict"},
}
"""Keys that always exist, with the kinds of their values."""
_DATA: Final = frozenset(("", "dict", "query", "params", "entry", "result", "body", "user", "answer", "page"))


def member(scope: Scope, node: Node, base: Py, name: str, *, optional: bool) -> Py:
    """Translate `base.name`. Raises Untranslated."""
    table = {"ctx": _CTX, "ctx.request": _CTX, "policy": _POLICY, "event": _EVENT}.get(base.kind)
    if name in ("body", "files") and base.kind in ("ctx", "ctx.request"):
        return _sent(scope, node, base, name)
    if table is not None and name in table:
        behind, kind = table[name]
        return Py(f"{base.text}{behind}", kind=kind)
    if name == "length" and base.kind in ("", "list", "entries", "text"):
        return Py(f"len({base.text}{' or ()' if optional else ''})", kind="length")
    special = _special(scope, node, base, name)
    if special is not None:
        return special
    if base.kind not in _DATA:
        raise Untranslated(node, f"cannot read `{name}` of an object that is not data")
    if base.kind == "page":
        return _of_page(node, base, name)
    known = _KNOWN_KEYS.get(base.kind, {})
    if name in known:
        return Py(f"{base.whole}[{text_literal(name)}]", kind=known[name])
    return item(scope, base, Py(text_literal(name), kind="text"), optional=optional)


def _sent(scope: Scope, node: Node, base: Py, name: str) -> Py:
    """Translate the body of a request, or of the response in a middleware. Raises Untranslated."""
    if base.kind == "ctx.request" and name == "body":
        return scope.awaited(f"{base.text}.json()", node, "body")
    if name == "files":
        raise Untranslated(node, "for uploaded files, use `(await request.form()).files`")
    if scope.frame.role != "middleware" or not scope.frame.goes_on:
        raise Untranslated(node, "the response can only be read in a middleware, after `next`")
    return Py("answer.value")


def _of_page(node: Node, base: Py, name: str) -> Py:
    """Translate `results` and `pagination` of a service's `find`."""
    if name == "results":
        return Py(f"{base.whole}.entries", kind="entries")
    if name != "pagination" or not base.text.isidentifier():
        raise Untranslated(node, f"cannot translate `{name}` of a service's result")
    keys = {"page": "page", "pageSize": "page_size", "pageCount": "page_count", "total": "total"}
    return Py(bracketed("{", (f'"{key}": {base.text}.{own}' for key, own in keys.items()), "}"), kind="dict")


def _special(scope: Scope, node: Node, base: Py, name: str) -> Py | None:
    """Translate members that are not data."""
    kind = base.kind
    if kind.startswith("plugin ") and name == "services":
        return Py(base.text, kind=kind.replace("plugin ", "plugin services ", 1))
    if kind.startswith("plugin services "):
        return Py(base.text, kind=f"{kind.replace('services', 'service', 1)} {name}")
    translate = _BEHIND.get((kind, name))
    if translate is not None:
        text, own = translate
        return Py(text.format(base.text), kind=own)
    reader = _OPEN.get(kind)
    return None if reader is None else reader(scope, node, base, name)


def own_setting(scope: Scope, base: Py, dotted: str) -> Py:
    """Translate `strapi.config.get("server.ownKey")`: custom settings are in one place in Octavo."""
    file, _, key = dotted.partition(".")
    if not key:
        return Py(f"{base.text}.custom", kind="dict")
    scope.doubt(f"in v4 this is in config/{file}; in Octavo it is a setting under [custom] in config/server.toml")
    text = f"{base.text}.custom"
    *way, last = key.split(".")
    return Py("".join([text, *(f"[{text_literal(part)}]" for part in way), f".get({text_literal(last)})"]))


def of_module(scope: Scope, node: Node, base: Py, name: str) -> Py:
    """Translate `utils.name` of another file of the project. Raises Untranslated."""
    brought = scope.text.bring(scope.text, Import(base.text, node, name))
    if brought is None:
        raise Untranslated(node, f"unsupported import: `{name}` from {base.text}")
    return brought


def _of_state(scope: Scope, node: Node, base: Py, name: str) -> Py:
    asked = base.text.removesuffix(".state")
    if name == "user":
        return scope.awaited(f"{asked}.user()", node, "user")
    if name == "isAuthenticated":
        return Py(f'{asked}.actor.kind == "user"', Binds.COMPARE, "bool")
    if name in ("auth", "route"):
        raise Untranslated(node, f"`ctx.state.{name}` does not exist in Octavo")
    return Py(f"{base.text}.get({text_literal(name)})")


def _error_class(scope: Scope, name: str) -> Py:
    scope.text.octavo.add(name)
    return Py(name, kind="error class")


def item(scope: Scope, base: Py, index: Py, *, optional: bool) -> Py:
    """Translate `base[index]` of data: a missing item is None, like undefined in JavaScript."""
    if index.kind in ("number", "length"):
        kind = "entry" if base.kind == "entries" else ""
        if index.text == "0":
            if (first := first_of(base)) is not None:
                return first
            held = f"{base.text} or ()" if optional else base.text
            return Py(f"next(iter({held}), None)", kind=kind)
        scope.doubt("an index past the end raises an error; in JavaScript the result is undefined")
        return Py(f"{strict(base).whole}[{index.text}]", kind=kind)
    if optional:
        return Py(f"({base.text} or {{}}).get({index.text})")
    if index.kind != "text":
        scope.doubt("reads a dictionary; for the index of a list, use `[...]`")
    return Py(f"{strict(base).whole}.get({index.text})")


def first_of(value: Py) -> Py | None:
    """Return the first entry of a `find_many` call as a single read."""
    match = _MANY.match(value.text) if value.kind == "entries" else None
    if match is None:
        return None
    return Py(f"{match[1]}.find_first({value.text[match.end() :]}", Binds.AWAIT, "entry")


def strict(base: Py) -> Py:
    """Return a lookup that fails for a missing key, because it is used further: `data["author"]` instead of
    `data.get("author")`."""
    return Py(_GOT.sub(r"[\1]", base.text), base.binds, base.kind) if base.kind in ("", "list") else base


def imported(scope: Scope, found: Import) -> Py | None:
    """Return the translation of an imported name, if it is known."""
    kind, name = _PACKAGES.get(found.specifier), found.name
    if found.specifier.startswith("lodash/") and name in (None, "default"):
        kind, name = "lodash", found.specifier.removeprefix("lodash/")
    if kind is None:
        return None
    if kind == "lodash" and name not in (None, "default"):
        return Py(str(name), kind=f"lodash {name}")
    if kind == "utils" and name not in (None, "default"):
        return Py("errors", kind="utils.errors") if name == "errors" else _class_of(scope, str(name))
    if kind == "uuid":
        return Py("uuid4", kind="uuid") if name == "v4" else None
    return Py(found.specifier, kind=kind)


def _class_of(scope: Scope, name: str) -> Py | None:
    return _error_class(scope, name) if name in ERRORS else None


def taken(scope: Scope, binding: Binding) -> Py | None:
    """Translate `const { ApplicationError } = utils.errors` at the top of a file."""
    value = binding.value
    is_class = value is not None and value.type.startswith("class")
    return _error_class(scope, binding.name) if binding.name in ERRORS and not is_class else None


def regex(scope: Scope, node: Node) -> Py:
    """Translate `/pattern/flags` to a compiled pattern. Raises Untranslated if the syntax differs in Python."""
    parts = {part.type: scope.module.text(part) for part in named(node)}
    pattern, flags = parts.get("regex_pattern", ""), parts.get("regex_flags", "")
    if set(flags) - set("gimsu") or "(?<" in pattern or "\\p{" in pattern or '"' in pattern:
        raise Untranslated(node, "this regular expression has a different syntax in Python")
    scope.text.imports.add("import re")
    known = "".join(f" | re.{flag.upper()}" for flag in flags if flag in "ims")
    text = f're.compile(r"{pattern}"{f", {known[3:]}" if known else ""})'
    return Py(text, kind="regex g" if "g" in flags else "regex")


def _of_strapi(scope: Scope, node: Node, base: Py, name: str) -> Py | None:
    return Py(base.text, kind=name) if name in _STRAPI else None


def _header(scope: Scope, node: Node, base: Py, name: str) -> Py:
    return Py(f"{base.text}.header({text_literal(name)})", kind="text")


def _plugin(scope: Scope, node: Node, base: Py, name: str) -> Py:
    return Py(base.text, kind=f"plugin {name}")


def _service(scope: Scope, node: Node, base: Py, name: str) -> Py:
    return Py(f"{base.text}.service({text_literal(name)})", kind="service")


def _of_error(scope: Scope, node: Node, base: Py, name: str) -> Py:
    scope.doubt(f"Python exceptions have no `{name}`")
    return Py(f"getattr({base.text}, {text_literal(name)}, None)")


def _variable(scope: Scope, node: Node, base: Py, name: str) -> Py:
    scope.text.imports.add("import os")
    return Py(f"os.environ.get({text_literal(name)})")


def _of_errors(scope: Scope, node: Node, base: Py, name: str) -> Py | None:
    return _error_class(scope, name) if name in ERRORS else None


def _of_lodash(scope: Scope, node: Node, base: Py, name: str) -> Py:
    return Py(name, kind=f"lodash {name}")


def _of_math(scope: Scope, node: Node, base: Py, name: str) -> Py | None:
    scope.text.imports.add("import math")
    return Py("math.pi", kind="number") if name == "PI" else None


def _of_config(scope: Scope, node: Node, base: Py, name: str) -> Py:
    return own_setting(scope, base, name)


_BEHIND: Final = {
    ("event.params", "data"): ("{}.data", ""),
    ("event.params", "where"): ("{}.where", "dict"),
    ("event.params", "locale"): ("{}.locale", ""),
    ("event.model", "uid"): ("{}.uid", "text"),
    ("error", "message"): ("str({})", "text"),
    ("error", "name"): ("type({}).__name__", "text"),
    ("hook context", "state"): ("{}", "hook state"),
    ("hook state", "user"): ("{}", "actor"),
    ("actor", "id"): ('({0}.id if {0}.kind == "user" else None)', ""),
    ("actor", "username"): ("{}.username", ""),
    ("actor", "email"): ("{}.email", ""),
    ("global process", "env"): ("os.environ", "env"),
    ("utils", "errors"): ("errors", "utils.errors"),
    ("http answer", "data"): ("{}.json()", ""),
    ("http answer", "status"): ("{}.status", "number"),
    ("http answer", "ok"): ("{}.is_success", "bool"),
}
"""Members by kind and name: the text and kind of their translation."""
_OPEN: Final[dict[str, Callable[[Scope, Node, Py, str], Py | None]]] = {
    "ctx.state": _of_state,
    "headers": _header,
    "strapi": _of_strapi,
    "config": _of_config,
    "plugins": _plugin,
    "services": _service,
    "error": _of_error,
    "module": of_module,
    "env": _variable,
    "utils.errors": _of_errors,
    "lodash": _of_lodash,
    "global Math": _of_math,
}
"""Members of any name, by kind."""
