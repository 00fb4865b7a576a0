"""Translate v4's entity service and query engine to `app.entries(uid)`, and email to `app.mail`."""

from collections.abc import Mapping
from typing import Final

from tree_sitter import Node

from octavo.v4.adoption.drafts.python import Py, bracketed, text_literal
from octavo.v4.adoption.drafts.scope import Scope, Untranslated
from octavo.v4.javascript.modules import follow
from octavo.v4.javascript.syntax import arguments, is_open, key_of, named, properties, unwrap

_SHARED: Final = {"populate": "populate", "limit": "limit"}
_ENTITY: Final = {
    **_SHARED,
    "filters": "filters",
    "fields": "fields",
    "sort": "sort",
    "start": "start",
    "locale": "locale",
    "publicationState": "publication_state",
    "_q": "search",
    "data": "data",
    "page": "page",
    "pageSize": "page_size",
}
_QUERY: Final = {
    **_SHARED,
    "where": "filters",
    "select": "fields",
    "orderBy": "sort",
    "offset": "start",
    "data": "data",
}
_POPULATE: Final = {
    "filters": "filters",
    "fields": "fields",
    "sort": "sort",
    "populate": "populate",
    "limit": "limit",
    "start": "start",
    "count": "count",
    "on": "on",
}
_POPULATE_QUERY: Final = {
    "where": "filters",
    "select": "fields",
    "orderBy": "sort",
    "populate": "populate",
    "limit": "limit",
    "offset": "start",
    "count": "count",
    "on": "on",
}
"""The options in `populate`, for the entity service and for the query engine."""
_READS: Final = {
    "findMany": ("find_many", "entries"),
    "findPage": ("find_page", "page"),
    "count": ("count", "number"),
    "deleteMany": ("delete_many", ""),
}
_MAIL: Final = {
    "to": "to",
    "from": "sender",
    "replyTo": "reply_to",
    "subject": "subject",
    "text": "text",
    "html": "html",
}


def of_entity_service(scope: Scope, node: Node, base: Py, name: str) -> Py:
    """Translate `strapi.entityService.findMany(uid, {...})` and the other methods. Raises Untranslated."""
    given = arguments(node)
    if not given:
        raise Untranslated(node, "the call names no content type")
    entries = f"{base.text}.entries({scope.read(scope, given[0]).text})"
    if name == "findMany" and _uid_of(entries) in scope.text.project.singles:
        return _read(scope, node, f"{entries}.find_first", _options(scope, given[1:], _ENTITY), "entry")
    if name in _READS:
        method, kind = _READS[name]
        return _read(scope, node, f"{entries}.{method}", _options(scope, given[1:], _ENTITY), kind)
    if name == "create":
        return _create(scope, node, entries, _options(scope, given[1:], _ENTITY))
    if name in ("findOne", "update", "delete") and len(given) > 1:
        which, options = scope.read(scope, given[1]).text, _options(scope, given[2:], _ENTITY)
        if name == "findOne":
            shown = {key: value for key, value in options.items() if key in ("**", "populate", "fields")}
            if shown.keys() != options.keys():
                scope.doubt(f"v4 ignores {', '.join(sorted(options.keys() - shown))} when it reads by ID")
            return _read(scope, node, f"{entries}.find_one", shown, "entry", which)
        if name == "update":
            return _update(scope, node, entries, which, options)
        return scope.awaited(f"{entries}.delete({which})", node, "entry")
    raise Untranslated(node, f"cannot translate `entityService.{name}`")


def of_query(scope: Scope, node: Node, base: Py, name: str) -> Py:
    """Translate `strapi.db.query(uid).findOne({ where })` and the other methods. Raises Untranslated."""
    given = arguments(node)
    which = _id_of(scope, given)
    options = _options(scope, given, _QUERY, closed=True)
    if which is not None:
        without = {key: value for key, value in options.items() if key != "filters"}
        if name == "findOne":
            return _read(scope, node, f"{base.text}.find_one", without, "entry", which)
        if name == "update":
            return _update(scope, node, base.text, which, without)
        if name == "delete":
            return scope.awaited(f"{base.text}.delete({which})", node, "entry")
    _all_locales(scope, given, base, options)
    if name in ("findOne", "findMany") and "fields" in options and '"id"' not in options["fields"]:
        scope.doubt("entries always include `id`; for rows without it, use `app.query(...).select(...)`")
    if name == "findOne":
        return _read(scope, node, f"{base.text}.find_first", options, "entry")
    if name in _READS:
        method, kind = _READS[name]
        return _read(scope, node, f"{base.text}.{method}", options, kind)
    if name == "create":
        return _create(scope, node, base.text, options)
    if name == "updateMany" and "data" in options:
        scope.doubt("updates all entries that match the filters")
        data = options.pop("data")
        filters = options.pop("filters", "{}")
        return scope.awaited(f"{base.text}.update_many({_joined([f'filters={filters}', f'data={data}'])})", node)
    raise Untranslated(node, f"cannot translate `{name}` without an ID")


def _uid_of(entries: str) -> str:
    """Return the content type in `self.app.entries("api::talk.talk")`."""
    return entries.rpartition("entries(")[2].strip('")')


def _joined(parts: list[str]) -> str:
    return bracketed("(", parts, ")")[1:-1]


def _all_locales(scope: Scope, given: list[Node], base: Py, options: dict[str, str]) -> None:
    """Add the option for all locales, because the query engine ignores locales."""
    uid = _uid_of(base.text)
    if uid in scope.text.project.localized and "locale" not in options and "data" not in options:
        options["locale"] = '"all"'


def _read(scope: Scope, node: Node, method: str, options: Mapping[str, str], kind: str, which: str = "") -> Py:
    if "data" in options:
        raise Untranslated(node, "unexpected `data` in a read")
    parts = [which] if which else []
    parts += [f"**{value}" if key == "**" else f"{key}={value}" for key, value in options.items()]
    return scope.awaited(bracketed(f"{method}(", parts, ")"), node, kind)


def _create(scope: Scope, node: Node, entries: str, options: dict[str, str]) -> Py:
    if "**" in options or "data" not in options or options.keys() - {"data", "populate", "fields"}:
        raise Untranslated(node, "`create` requires `data`, and supports only `populate` and `fields` with it")
    populate = [f"populate={options['populate']}"] if "populate" in options else []
    return scope.awaited(bracketed(f"{entries}.create(", [options["data"], *populate], ")"), node, "entry")


def _update(scope: Scope, node: Node, entries: str, which: str, options: dict[str, str]) -> Py:
    if "**" in options or "data" not in options or options.keys() - {"data", "populate", "fields"}:
        raise Untranslated(node, "`update` requires `data`, and supports only `populate` and `fields` with it")
    populate = [f"populate={options['populate']}"] if "populate" in options else []
    return scope.awaited(bracketed(f"{entries}.update(", [which, options["data"], *populate], ")"), node, "entry")


def _literal(scope: Scope, node: Node) -> Node:
    """Return an object literal, also if it is assigned to a constant of the file."""
    node = unwrap(node)
    if node.type == "identifier" and scope.module.text(node) not in scope.names:
        return unwrap(follow(scope.module, node, dict(scope.text.bindings)))
    return node


def _id_of(scope: Scope, given: list[Node]) -> str | None:
    """Return the id in `{ where: { id } }` if there is no other condition."""
    options = _literal(scope, given[0]) if given else None
    if options is None or options.type != "object":
        return None
    where = properties(scope.module, options).get("where")
    where = None if where is None else _literal(scope, where)
    if where is None or where.type != "object" or is_open(scope.module, where):
        return None
    members = properties(scope.module, where)
    if members.keys() != {"id"} or unwrap(members["id"]).type == "object":
        return None
    return scope.read(scope, members["id"]).text


def _options(scope: Scope, given: list[Node], names: Mapping[str, str], *, closed: bool = False) -> dict[str, str]:
    """Translate the last argument to keyword arguments. If it is not a literal, pass it as `**`; `closed` forbids
    that."""
    if not given:
        return {}
    options = _literal(scope, given[0])
    if options.type != "object" or is_open(scope.module, options):
        if closed:
            raise Untranslated(given[0], "the options must be an object literal")
        scope.doubt("the keys must be parameter names: filters, sort, fields, populate, start, limit, locale")
        return {"**": scope.read(scope, given[0]).whole}
    found: dict[str, str] = {}
    for member in named(options):
        key = member.child_by_field_name("key") or member
        name = key_of(scope.module, key) or ""
        if name not in names:
            raise Untranslated(member, f"unsupported option `{name}`")
        value = member.child_by_field_name("value") or member
        if name == "populate":
            found[name] = _populate(scope, value, _POPULATE_QUERY if names is _QUERY else _POPULATE)
        else:
            found[names[name]] = scope.read(scope, value).text
    return found


def _populate(scope: Scope, node: Node, words: Mapping[str, str]) -> str:
    """Translate `populate` to the parameter names of the REST API. Options that v4 ignores are left out."""
    asked = _written_out(scope, node)
    if asked is None:
        if words is _POPULATE_QUERY and unwrap(node).type not in ("true", "array", "string"):
            scope.doubt("the options inside `populate` are named `filters`, `fields`, `sort` and `start`")
        return scope.read(scope, node).text
    parts = []
    for name, value in asked.items():
        below = _written_out(scope, value)
        translated = scope.read(scope, value).text if below is None else _populated(scope, below, words)
        parts.append(f"{text_literal(name)}: {translated}")
    return bracketed("{", parts, "}")


def _populated(scope: Scope, asked: Mapping[str, Node], words: Mapping[str, str]) -> str:
    """Translate the options for one relation or component."""
    parts = []
    for name, value in asked.items():
        if name not in words:
            scope.doubt(f"`{name}` inside `populate` is left out, because v4 ignores it")
        elif name in ("populate", "on"):
            parts.append(f'"{name}": {_populate(scope, value, words)}')
        else:
            parts.append(f"{text_literal(words[name])}: {scope.read(scope, value).text}")
    return bracketed("{", parts, "}") if parts else "True"


def _written_out(scope: Scope, node: Node) -> dict[str, Node] | None:
    """Return the members of an object literal, or None for anything else."""
    literal = _literal(scope, node)
    if literal.type != "object" or is_open(scope.module, literal):
        return None
    return properties(scope.module, literal)


def data_of(scope: Scope, given: Node) -> tuple[str, list[str]]:
    """Split `{ data, populate }` into the data, and the rest as a query. Raises Untranslated."""
    options = _literal(scope, given)
    members = properties(scope.module, options) if options.type == "object" else {}
    if "data" not in members or is_open(scope.module, options) or members.keys() - {"data", "populate"}:
        raise Untranslated(given, "the write requires `data`, and supports only `populate` with it")
    populate = members.get("populate")
    query = [] if populate is None else [f'{{"populate": {scope.read(scope, populate).text}}}']
    return scope.read(scope, members["data"]).text, query


def send_mail(scope: Scope, node: Node) -> Py:
    """Translate `send({ to, subject, html })` of the email plugin."""
    given = arguments(node)
    options = _literal(scope, given[0]) if given else None
    if options is None or options.type != "object" or is_open(scope.module, options):
        raise Untranslated(node, "the mail options must be an object literal")
    members = properties(scope.module, options)
    if unknown := members.keys() - _MAIL.keys():
        raise Untranslated(node, f"unsupported mail options: {', '.join(sorted(unknown))}")
    if "from" in members and "<" in scope.module.text(members["from"]):
        scope.doubt("`sender` must be an address; pass the display name as `sender_name`")
    parts = [f"{_MAIL[name]}={scope.read(scope, value).text}" for name, value in members.items()]
    return scope.awaited(bracketed(f"{scope.app}.mail.send(", parts, ")"), node)
