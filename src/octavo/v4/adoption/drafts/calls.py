"""Translate calls, by the object that the function belongs to."""

from collections.abc import Callable
from typing import Final

from tree_sitter import Node

from octavo.v4.adoption.drafts import addresses, content, members, methods
from octavo.v4.adoption.drafts.python import Py, bracketed, method_of, python_name, text_literal
from octavo.v4.adoption.drafts.scope import Scope, Untranslated
from octavo.v4.javascript.syntax import arguments, identifier, string_value, unwrap

REFUSALS: Final = {
    "badRequest": "BadRequestError",
    "unauthorized": "UnauthorizedError",
    "forbidden": "ForbiddenError",
    "notFound": "NotFoundError",
}
_BY_STATUS: Final = {
    "400": "BadRequestError",
    "401": "UnauthorizedError",
    "403": "ForbiddenError",
    "404": "NotFoundError",
}
_OTHERS: Final = {
    "402": "PaymentRequiredError",
    "405": "MethodNotAllowedError",
    "409": "ConflictError",
    "410": "GoneError",
    "413": "PayloadTooLargeError",
    "422": "UnprocessableEntityError",
    "429": "TooManyRequestsError",
    "500": "InternalServerError",
    "501": "NotImplementedError",
    "502": "BadGatewayError",
    "503": "ServiceUnavailableError",
}
"""v4's names of errors that have no class in Octavo."""
_STATUSES: Final = {
    "conflict": "409",
    "unprocessableEntity": "422",
    "tooManyRequests": "429",
    "internalServerError": "500",
    "notImplemented": "501",
}
_STEPS: Final = {
    "sanitizeOutput": ("sanitize_output", ""),
    "sanitizeInput": ("sanitize_input", ""),
    "sanitizeQuery": ("sanitize_query", "query"),
    "validateQuery": ("validate_query", ""),
}
"""Members of a controller besides actions, which need `await`."""
_SUPER: Final = {"find": "page", "findOne": "entry", "create": "entry", "update": "entry", "delete": "entry"}
_LEVELS: Final = {"log": "info", "info": "info", "debug": "debug", "warn": "warning", "error": "error"}


def call(scope: Scope, node: Node) -> Py:
    """Translate a call. Raises Untranslated."""
    function = node.child_by_field_name("function")
    if function is None:
        raise Untranslated(node, "cannot translate this call")
    function = unwrap(function)
    if function.type == "member_expression":
        below, name = function.child_by_field_name("object"), function.child_by_field_name("property")
        if below is not None and name is not None:
            is_optional = any(child.type == "optional_chain" for child in function.children)
            return _method(scope, node, scope.reach(scope, below), identifier(scope.module, name), is_optional)
    if function.type in ("identifier",):
        return _function(scope, node, scope.reach(scope, function))
    raise Untranslated(node, "cannot translate a call of an expression; give the function a name")


def _given(scope: Scope, node: Node) -> list[Py]:
    nodes = arguments(node)
    if any(item.type == "spread_element" for item in nodes):
        raise Untranslated(node, "cannot translate spread arguments")
    return [scope.read(scope, item) for item in nodes]


def _texts(scope: Scope, node: Node) -> str:
    return ", ".join(value.text for value in _given(scope, node))


def _function(scope: Scope, node: Node, called: Py) -> Py:
    kind, _, name = called.kind.partition(" ")
    if kind == "helper":
        helper = scope.text.helpers[name]
        given = ", ".join([scope.app] * helper.takes_app + [value.text for value in _given(scope, node)])
        text = f"{helper.name}({given})"
        return scope.awaited(text, node) if helper.is_async else Py(text)
    if kind == "function":
        return scope.awaited(f"{called.text}({_texts(scope, node)})", node)
    if kind == "next":
        return scope.awaited("next(request)", node, "next")
    if kind == "lambda":
        return Py(f"{called.text}({_texts(scope, node)})")
    if kind == "lodash":
        return methods.of_lodash(scope, node, name, _given(scope, node))
    if kind == "axios" or called.kind == "global fetch":
        return addresses.ask(scope, node, "fetch" if kind == "global" else "")
    if kind == "global":
        return methods.of_globals(scope, node, name, _given(scope, node))
    if kind in ("slugify", "uuid"):
        return methods.of_packages(scope, node, kind, "", _given(scope, node))
    raise Untranslated(node, f"cannot translate a call of `{called.text}`")


def _method(scope: Scope, node: Node, base: Py, name: str, is_optional: bool) -> Py:
    kind = base.kind
    reader = _BY_KIND.get(kind)
    translated = None if reader is None else reader(scope, node, base, name)
    if translated is not None:
        return translated
    if kind.startswith("plugin"):
        return _of_plugin(scope, node, base, name)
    if kind.startswith("global "):
        return methods.of_globals(scope, node, f"{kind.removeprefix('global ')}.{name}", _given(scope, node))
    return methods.of_values(scope, node, base, name, is_optional=is_optional)


def _cookie(scope: Scope, node: Node, base: Py, name: str) -> Py | None:
    return Py(f"{base.text}.cookies.get({_texts(scope, node)})") if name == "get" else None


def _log(scope: Scope, node: Node, base: Py, name: str) -> Py | None:
    level = _LEVELS.get(name)
    return None if level is None else Py(f"{scope.app}.log.{level}({_logged(scope, node)})", kind="done")


def _current(scope: Scope, node: Node, base: Py, name: str) -> Py | None:
    """Translate `strapi.requestContext.get()`, with which hooks get the caller."""
    is_hook = name == "get" and base.text == "event.app"
    return Py("event.actor", kind="hook context") if is_hook else None


def _setting(scope: Scope, node: Node, base: Py, name: str) -> Py | None:
    given = arguments(node)
    dotted = string_value(scope.module, given[0]) if given and name == "get" else None
    return None if dotted is None else members.own_setting(scope, base, dotted)


def _package(scope: Scope, node: Node, base: Py, name: str) -> Py:
    if base.kind == "axios":
        return addresses.ask(scope, node, name)
    if base.kind == "lodash":
        return methods.of_lodash(scope, node, name, _given(scope, node))
    return methods.of_packages(scope, node, base.kind, name, _given(scope, node))


def _of_module(scope: Scope, node: Node, base: Py, name: str) -> Py:
    return _function(scope, node, members.of_module(scope, node, base, name))


def _logged(scope: Scope, node: Node) -> str:
    given = [value.text for value in _given(scope, node)]
    if len(given) == 1:
        return given[0] if given[0].startswith(('"', 'f"')) else f'"%s", {given[0]}'
    return ", ".join([text_literal(" ".join(["%s"] * len(given))), *given])


def _of_context(scope: Scope, node: Node, base: Py, name: str) -> Py:
    request = "context.request" if base.kind == "policy" else base.text
    if name in REFUSALS or name in _STATUSES or name == "throw":
        return _refusal(scope, node, name)
    if name == "get":
        return Py(f"{request}.header({_texts(scope, node)})", kind="text")
    if name == "send":
        given = _given(scope, node)
        if len(given) == 2:
            scope.text.octavo.add("Response")
            return Py(f"Response.json({given[0].text}, status={given[1].text})", kind="answered")
        return Py(given[0].text if given else "None", kind="answered")
    if name == "redirect":
        scope.text.octavo.add("Response")
        return Py(f"Response.redirect({_texts(scope, node)})", kind="answered")
    raise Untranslated(node, f"cannot translate `{scope.module.excerpt(node, 40)}`")


def _refusal(scope: Scope, node: Node, name: str) -> Py:
    """Translate `ctx.badRequest(message, details)` or `ctx.throw(409, message)` to an error or an error response."""
    given = _given(scope, node)
    status = _STATUSES.get(name, "")
    if name == "throw":
        if not given or not given[0].text.isdigit():
            raise Untranslated(node, "the status of `ctx.throw` must be a literal number")
        status, given = given[0].text, given[1:]
    message, details = _message(given), _details(scope, given)
    error = REFUSALS.get(name) or _BY_STATUS.get(status)
    if error is not None:
        scope.text.octavo.add(error)
        parts = [part for part in (message, details) if part]
        return Py(f"{error}({', '.join(parts)})", kind="thrown" if name == "throw" else "refusal")
    if status not in _OTHERS or scope.frame.role not in ("action", "middleware"):
        raise Untranslated(node, "Octavo has no error class for this status")
    scope.text.octavo.add("Response")
    body = {"status": status, "name": f'"{_OTHERS[status]}"', "message": message or '""', "details": details or "{}"}
    listed = ", ".join(f'"{key}": {value}' for key, value in body.items())
    return Py(f'Response.json({{"data": None, "error": {{{listed}}}}}, status={status})', kind="answered")


def _message(given: list[Py]) -> str:
    """Return the first argument as a text, or nothing if it is not one."""
    if not given or given[0].kind in ("null", "dict", "list"):
        return ""
    return given[0].text if given[0].kind == "text" else f"str({given[0].text})"


def _details(scope: Scope, given: list[Py]) -> str:
    if len(given) < 2 or not _message(given):
        return ""
    if given[1].kind != "dict":
        scope.doubt("the details of an error must be a dictionary")
    return given[1].text


def _own(scope: Scope, node: Node, base: Py, name: str) -> Py:
    if name in _STEPS:
        method, kind = _STEPS[name]
        return scope.awaited(f"self.{method}({_texts(scope, node)})", node, kind)
    if name == "transformResponse":
        return Py(f"self.transform_response({_texts(scope, node)})", kind="answer")
    known = scope.names.get(f"this.{name}")
    if known is None:
        raise Untranslated(node, f"`this.{name}` is not defined in this file")
    return scope.awaited(f"self.{known.value.text}({_texts(scope, node)})", node)


def _core(scope: Scope, node: Node, base: Py, name: str) -> Py:
    if scope.frame is not scope.names["super"].frame:
        raise Untranslated(node, "cannot call the core action in a nested function")
    is_service = "ctx" not in {value.kind for value in _given(scope, node)}
    kind = _SUPER.get(name, "") if is_service else "answer"
    return scope.awaited(f"super().{python_name(name)}({_texts(scope, node)})", node, kind)


def _of_strapi(scope: Scope, node: Node, base: Py, name: str) -> Py:
    given = arguments(node)
    first = string_value(scope.module, given[0]) if given else None
    if name == "query" and given:
        uid = scope.read(scope, given[0]).text
        return Py(f"{base.text}.entries({uid})", kind="db.query")
    if name == "service" and given:
        if first is not None and first.startswith("plugin::"):
            return Py(base.text, kind=f"plugin service {first.removeprefix('plugin::').replace('.', ' ', 1)}")
        return Py(f"{base.text}.service({scope.read(scope, given[0]).text})", kind="service")
    if name == "controller" and given and scope.frame.role == "action":
        return Py(f"self.controller({scope.read(scope, given[0]).text})", kind="controller")
    if name == "plugin" and first is not None:
        return Py(base.text, kind=f"plugin {first}")
    raise Untranslated(node, f"cannot translate `strapi.{name}`")


def _served(scope: Scope, node: Node, base: Py, name: str) -> Py:
    """Translate a call of a service. `create({ data })` and `update(id, { data })` take the data itself in Octavo."""
    given = arguments(node)
    if _is_own_service(scope, base, name):
        return scope.awaited(f"{base.text}.{method_of(name)}({_texts(scope, node)})", node)
    if name in ("create", "update") and len(given) == (2 if name == "update" else 1):
        data, others = content.data_of(scope, given[-1])
        which = [scope.read(scope, given[0]).text] if name == "update" else []
        return scope.awaited(bracketed(f"{base.text}.{name}(", [*which, data, *others], ")"), node, "entry")
    if name == "find" and len(given) == 1 and scope.reach(scope, given[0]).kind == "ctx":
        scope.doubt("v4 reads no query from `ctx`; for the request's query, pass `request.query`")
        return scope.awaited(f"{base.text}.find()", node, "page")
    return scope.awaited(f"{base.text}.{method_of(name)}({_texts(scope, node)})", node, _SUPER.get(name, ""))


def _controlled(scope: Scope, node: Node, base: Py, name: str) -> Py:
    """Translate a call of another controller's action."""
    return scope.awaited(f"{base.text}.{method_of(name)}({_texts(scope, node)})", node, "answer")


def _is_own_service(scope: Scope, base: Py, name: str) -> bool:
    """Return whether the project defines this service function, so that its arguments and result are its own."""
    uid = base.text.rpartition(".service(")[2].removesuffix(")").strip('"')
    return f"{uid}.{name}" in scope.text.project.own_services


def _of_plugin(scope: Scope, node: Node, base: Py, name: str) -> Py:
    """Translate `strapi.plugin('email').service('email').send({...})`; other plugins' services have no counterpart."""
    given = arguments(node)
    first = string_value(scope.module, given[0]) if given else None
    if base.kind.count(" ") == 1 and name == "service" and first is not None:
        return Py(base.text, kind=f"{base.kind.replace('plugin', 'plugin service', 1)} {first}")
    if base.kind == "plugin service email email" and name == "send":
        return content.send_mail(scope, node)
    raise Untranslated(node, f"cannot translate `{name}` of {base.kind.removeprefix('plugin ')}")


def construct(scope: Scope, node: Node) -> Py:
    """Translate `new X(...)`. Raises Untranslated."""
    made = node.child_by_field_name("constructor")
    name = "" if made is None else scope.module.text(made)
    given = _given(scope, node)
    if name == "Error":
        return Py(f"RuntimeError({', '.join(value.text for value in given[:1])})", kind="error value")
    if name in ("Date", "Set"):
        return methods.of_globals(scope, node, f"new {name}", given)
    if name == "RegExp" and given and given[0].kind == "text":
        scope.text.imports.add("import re")
        return Py(f"re.compile({given[0].text})", kind="regex")
    if made is not None:
        called = scope.reach(scope, made)
        if called.kind == "error class":
            return Py(f"{called.text}({', '.join(value.text for value in given[:2])})", kind="error value")
    raise Untranslated(node, f"cannot translate `new {name}`")


_BY_KIND: Final[dict[str, Callable[[Scope, Node, Py, str], Py | None]]] = {
    **dict.fromkeys(("ctx", "policy"), _of_context),
    **dict.fromkeys(("strapi", "db"), _of_strapi),
    **dict.fromkeys(("log", "global console"), _log),
    **dict.fromkeys(("axios", "crypto", "lodash"), _package),
    "ctx.cookies": _cookie,
    "self": _own,
    "super": _core,
    "requestContext": _current,
    "config": _setting,
    "entityService": content.of_entity_service,
    "db.query": content.of_query,
    "service": _served,
    "controller": _controlled,
    "module": _of_module,
}
