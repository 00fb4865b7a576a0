"""Convert the arguments of a GraphQL root field to a REST request, and back.

    updateTalk(id: 7, data: {title: "x"})          params {"id": "7"}, body {"data": {"title": "x"}}
    talks(filters: {title: {eq: "x"}}, sort: "id")   query {"filters": {"title": {"$eq": "x"}}, "sort": ["id"]}

Values keep their types, so a number is not a text, as it would be in a query string.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from octavo.api.rest.operations import EntryForm, RestOperation
from octavo.core.values import dataclass
from octavo.query.filters import read_flag
from octavo.query.operators import OPERATORS, Operand, Operator

_DATA: Final = "data"
_INPUT: Final = "input"
_FILES: Final = ("file", "files")
_BODY_NAMES: Final = {"info": "fileInfo"}
_LOGIC: Final = frozenset({"and", "or", "not"})
_READS: Final = "GET"
_CREATES: Final = "POST"


class Untranslatable(ValueError):
    """A part of a request that no argument of the field can express."""


@dataclass(slots=True)
class RestForm:
    """A REST request: values of the path, the query string and the body, and files."""

    params: dict[str, Any]
    query: dict[str, Any]
    body: Any
    files: tuple[Any, ...] = ()


def rest_form(operation: RestOperation, arguments: Mapping[str, Any]) -> RestForm:
    """Return the arguments of a field in the form of a REST request. Empty ones are left out of the query."""
    form = RestForm({}, {}, {})
    data = arguments.get(_DATA)
    if isinstance(data, Mapping):
        copied = copy(data)
        form.body = {_DATA: copied} if operation.body is EntryForm.ENTRY else copied
    elif isinstance(arguments.get(_INPUT), Mapping):
        form.body = copy(arguments[_INPUT])
    for name, value in arguments.items():
        if name not in (_DATA, _INPUT) and value is not None:
            _put(form, operation, name, value)
    return form


def _put(form: RestForm, operation: RestOperation, name: str, value: Any) -> None:
    target, key = _place(form, operation, name)
    if name in _FILES:
        form.files = tuple(value) if isinstance(value, list) else (value,)
    elif name == "filters" and target is form.query:
        if value:
            target[key] = _rest_filters(value)
    elif target is not form.query or value not in ({}, []):
        target[key] = copy(value)


def _place(form: RestForm, operation: RestOperation, name: str) -> tuple[dict[str, Any], str]:
    """Return where an argument is in a REST request, and its name there."""
    if f":{name}" in operation.path.split("/"):
        return form.params, name
    if operation.method == _READS or operation.body is None or name == "id":
        return form.query, name
    if operation.body is EntryForm.ENTRY:
        return (form.body.setdefault(_DATA, {}), name) if operation.method == _CREATES else (form.query, name)
    return form.body, _BODY_NAMES.get(name, name)


def field_arguments(
    operation: RestOperation, given: Mapping[str, Any], names: frozenset[str], before: RestForm, after: RestForm
) -> dict[str, Any]:
    """Return the `given` arguments, with the changes between the two forms.

    `names` are those of all arguments of the field. Raises Untranslatable for a change that none of them can express.
    """
    changed = dict(given)
    for name in before.params.keys() | after.params.keys():
        _take(changed, names, name, before.params.get(name), after.params.get(name), str)
    for name in before.query.keys() | after.query.keys():
        _take(changed, names, name, before.query.get(name), after.query.get(name), _READERS.get(name, copy))
    if before.body != after.body or before.files != after.files:
        changed |= _body_arguments(operation, names, before, after)
    return changed


def _take(
    changed: dict[str, Any], names: frozenset[str], name: str, old: Any, new: Any, read: Callable[[Any], Any]
) -> None:
    if old == new:
        return
    if name not in names:
        raise Untranslatable(name)
    if new is None:
        changed.pop(name, None)
    else:
        changed[name] = read(new)


def _body_arguments(
    operation: RestOperation, names: frozenset[str], before: RestForm, after: RestForm
) -> dict[str, Any]:
    if before.files != after.files or not isinstance(after.body, Mapping):
        raise Untranslatable("body")
    body = dict(after.body)
    if operation.body is EntryForm.ENTRY:
        if body.keys() != {_DATA} or not isinstance(body[_DATA], Mapping):
            raise Untranslatable("body")
        body = dict(body[_DATA])
    beside = {name: body.pop(key) for name in names for key in (_BODY_NAMES.get(name, name),) if key in body}
    if _INPUT in names:
        return {_INPUT: {**beside, **body}}
    if _DATA in names:
        return {_DATA: copy(body), **beside}
    if body:
        raise Untranslatable(", ".join(sorted(map(str, body))))
    return beside


def copy(value: Any) -> Any:
    """Copy nested dictionaries and lists; other values are shared."""
    if isinstance(value, Mapping):
        return {key: copy(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [copy(item) for item in value]
    return value


def _rest_filters(value: Any) -> Any:
    """Return filters with REST operators."""
    if isinstance(value, Mapping):
        return {_rest_word(key, item): _rest_filters(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_rest_filters(item) for item in value]
    return value


def _rest_word(key: str, value: Any) -> str:
    is_word = key in _LOGIC or (f"${key}" in OPERATORS and not isinstance(value, Mapping))
    return f"${key}" if is_word else key


def _field_filters(value: Any) -> Any:
    """Return REST filters in the form of a field's argument. Raises Untranslatable."""
    if isinstance(value, list):
        return {"and": [_field_filters(item) for item in value]}
    if not isinstance(value, Mapping):
        raise Untranslatable("filters")
    conditions = [_field_condition(str(key), item) for key, item in value.items()]
    filters = dict(conditions)
    if len(filters) < len(conditions):
        return {"and": [{word: condition} for word, condition in conditions]}
    return filters


def _field_condition(key: str, value: Any) -> tuple[str, Any]:
    """Return one item of filters. An attribute with the name of an operator would be taken for it."""
    if key in OPERATORS:
        return _comparison(OPERATORS[key], value)
    if key in ("$and", "$or"):
        items = value.values() if isinstance(value, Mapping) else value
        if not isinstance(items, Iterable) or isinstance(items, str):
            raise Untranslatable("filters")
        return key[1:], [_field_filters(item) for item in items]
    if key == "$not":
        return "not", _field_filters(value)
    if key.startswith("$") or key in _LOGIC or f"${key}" in OPERATORS:
        raise Untranslatable("filters")
    if isinstance(value, list) and not any(isinstance(item, Mapping | list) for item in value):
        return key, {"in": copy(value)}
    return key, _field_filters(value) if isinstance(value, Mapping | list) else {"eq": value}


def _comparison(operator: Operator, value: Any) -> tuple[str, Any]:
    """Return an operator and its operand: a list becomes one of its values if REST compares with any of them."""
    word = operator.name[1:]
    if isinstance(value, Mapping):
        raise Untranslatable("filters")
    if operator.operand is Operand.FLAG:
        return word, read_flag(value, ("filters",))
    if not isinstance(value, list) or operator.operand is not Operand.ONE:
        return word, copy(value)
    return ("or", [{word: item} for item in value]) if value else ("in", [])


def _field_sort(value: Any) -> list[str]:
    given = [value] if isinstance(value, str) else value
    if not isinstance(given, list) or not all(isinstance(item, str) for item in given):
        raise Untranslatable("sort")
    return [part.strip() for item in given for part in item.split(",")]


def _field_page(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping) or value.keys() - {"page", "pageSize", "start", "limit", "after"}:
        raise Untranslatable("pagination")
    return {name: item if name == "after" else _whole(item) for name, item in value.items()}


def _whole(value: Any) -> int:
    if isinstance(value, int):
        return value
    if isinstance(value, str) and len(value) <= 10 and value.removeprefix("-").isdecimal():
        return int(value)
    raise Untranslatable("pagination")


def _field_state(value: Any) -> str:
    if value not in ("live", "preview"):
        raise Untranslatable("publicationState")
    return str(value)


_READERS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "filters": _field_filters,
    "sort": _field_sort,
    "pagination": _field_page,
    "publicationState": _field_state,
    "id": str,
}
