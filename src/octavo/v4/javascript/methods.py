"""Evaluate methods of texts and lists."""

import re
from collections.abc import Callable

from tree_sitter import Node

from octavo.v4.javascript.context import Context, Given, Scope, at, first, need, text_at, unset
from octavo.v4.javascript.natives import spread_into
from octavo.v4.javascript.semantics import (
    ARGUMENTS,
    LONGEST_TEXT,
    OPEN_ARRAY,
    TOO_LONG,
    WHITE,
    Unknown,
    bounded,
    check_units,
    is_same_value,
    is_truthy,
    to_number,
    to_text,
)
from octavo.v4.javascript.values import UNDEFINED, Data, Items, Record, Regex, Value, joined_variables

LITERAL = re.compile(r"(?:\\[nrt/\\.|?*+()\[\]{}$^-]|[^\\.|?*+()\[\]{}$^])+")
"""Regular expressions that match exactly one text."""


def call_method(context: Context, receiver: Value, name: str, given: Given, node: Node, scope: Scope) -> Value:
    """Evaluate `receiver.name(...given)`. Raises `Unknown` for unsupported methods."""
    data = need(receiver)
    if isinstance(data, str) and name in TEXT:
        if name in ("slice", "substring", "charAt", "indexOf", "split"):
            check_units(data)
        result = TEXT[name](data, given)
    elif isinstance(data, int | float | bool) and name == "toString" and not given:
        result = to_text(data)
    elif isinstance(data, Record) and name in ("hasOwnProperty", "hasOwn") and data.rest is None:
        result = text_at(given, 0) in data
    elif isinstance(data, Items):
        return _call_of_list(context, data, receiver, name, given, node, scope)
    else:
        raise Unknown(unset(receiver) or f"unsupported method {name[:40]}")
    return _shown(context, result, (receiver, *given), node, scope)


def _shown(context: Context, found: object, made_of: Given, node: Node, scope: Scope) -> Value:
    variables = joined_variables(made_of)
    if isinstance(found, list) and not isinstance(found, Items):
        context.spend(node, scope, len(found))
        return context.value(Items(context.value(one, node, scope, variables) for one in found), node, scope, variables)
    return context.value(found, node, scope, variables)  # type: ignore[arg-type]


def _literal(found: Data) -> str:
    """Return the single text that a text or a literal regular expression matches."""
    if isinstance(found, str):
        return found
    if isinstance(found, Regex) and LITERAL.fullmatch(found.source) and "i" not in found.flags:
        return re.sub(r"\\(.)", lambda one: {"n": "\n", "r": "\r", "t": "\t"}.get(one[1], one[1]), found.source)
    raise Unknown("regular expressions are not supported")


def _replace(text: str, given: Given) -> str:
    pattern, new = first(given), text_at(given, 1)
    if "$" in new:
        raise Unknown("replacement patterns such as $1 are not supported")
    every = isinstance(pattern, Regex) and "g" in pattern.flags
    old = _literal(pattern)
    if every and len(new) * text.count(old) > LONGEST_TEXT:
        raise Unknown(TOO_LONG)
    return bounded(text.replace(old, new, -1 if every else 1))


def _replace_all(text: str, given: Given) -> str:
    if (old := text_at(given, 0)) == "" or len(text_at(given, 1)) * text.count(old) > LONGEST_TEXT:
        raise Unknown(TOO_LONG)
    return text.replace(old, text_at(given, 1))


def _split(text: str, given: Given) -> object:
    if len(given) > 1:
        raise Unknown(ARGUMENTS)
    if not given or first(given) is UNDEFINED:
        return [text]
    separator = _literal(first(given))
    return text.split(separator) if separator else list(text)


def _slice(given: Given) -> slice:
    bounds = [None if at(given, index) is UNDEFINED else int(to_number(at(given, index))) for index in (0, 1)]
    return slice(*bounds)


def _substring(text: str, given: Given) -> str:
    start = max(0, int(to_number(first(given))))
    end = len(text) if at(given, 1) is UNDEFINED else max(0, int(to_number(at(given, 1))))
    return text[min(start, end) : max(start, end)]


TEXT: dict[str, Callable[[str, Given], object]] = {
    "trim": lambda text, _: text.strip(WHITE),
    "trimStart": lambda text, _: text.lstrip(WHITE),
    "trimEnd": lambda text, _: text.rstrip(WHITE),
    "toLowerCase": lambda text, _: text.lower(),
    "toUpperCase": lambda text, _: text.upper(),
    "toString": lambda text, _: text,
    "includes": lambda text, given: text_at(given, 0) in text,
    "startsWith": lambda text, given: text.startswith(text_at(given, 0)),
    "endsWith": lambda text, given: text.endswith(text_at(given, 0)),
    "indexOf": lambda text, given: text.find(text_at(given, 0)),
    "concat": lambda text, given: bounded(text + "".join(to_text(at(given, index)) for index in range(len(given)))),
    "replace": _replace,
    "replaceAll": _replace_all,
    "split": _split,
    "slice": lambda text, given: text[_slice(given)],
    "substring": _substring,
    "charAt": lambda text, given: text[int(to_number(first(given))) :][:1],
}


def _call_of_list(
    context: Context, data: Items, receiver: Value, name: str, given: Given, node: Node, scope: Scope
) -> Value:
    if name in ("push", "unshift"):
        data[len(data) if name == "push" else 0 : 0] = given
        return context.value(len(data), node, scope)
    if data.rest is not None:
        raise Unknown(OPEN_ARRAY)
    context.spend(node, scope, len(data))
    if name in CALLING:
        return CALLING[name](context, data, given, node, scope)
    if name in COMPUTING:
        return _shown(context, COMPUTING[name](data, given), (receiver, *data, *given), node, scope)
    if name in MAKING:
        return context.value(Items(MAKING[name](data, given)), node, scope)
    raise Unknown(f"unsupported method {name[:40]}")


def _join(data: Items, given: Given) -> str:
    separator = "," if first(given) is UNDEFINED else text_at(given, 0)
    if len(separator) * len(data) > LONGEST_TEXT:
        raise Unknown(TOO_LONG)
    parts = ("" if (one := need(item)) is None or one is UNDEFINED else to_text(one) for item in data)
    return bounded(separator.join(parts))


COMPUTING: dict[str, Callable[[Items, Given], Data]] = {
    "join": _join,
    "toString": lambda data, _: to_text(data),
    "includes": lambda data, given: any(is_same_value(need(item), first(given)) for item in data),
}
"""Methods of lists that return a scalar."""

MAKING: dict[str, Callable[[Items, Given], list[Value]]] = {
    "concat": lambda data, given: [*data, *(one for value in given for one in _flat(value))],
    "slice": lambda data, given: data[_slice(given)],
    "flat": lambda data, given: [one for item in data for one in _flat(item)],
}
"""Methods of lists that return another list."""


def _flat(value: Value) -> list[Value]:
    data = need(value)
    if isinstance(data, Items):
        if data.rest is not None:
            raise Unknown(OPEN_ARRAY)
        return list(data)
    return [value]


def _answers(context: Context, data: Items, given: Given, node: Node, scope: Scope) -> list[Value]:
    if not given:
        raise Unknown("the callback is missing")
    return [
        context.invoke(given[0], (item, context.value(index, node, scope)), node, scope)
        for index, item in enumerate(data)
    ]


def _filter(context: Context, data: Items, given: Given, node: Node, scope: Scope) -> Value:
    kept = zip(data, _answers(context, data, given, node, scope), strict=True)
    return context.value(Items(item for item, answer in kept if is_truthy(need(answer))), node, scope)


def _find(context: Context, data: Items, given: Given, node: Node, scope: Scope) -> Value:
    kept = zip(data, _answers(context, data, given, node, scope), strict=True)
    first_match = next((item for item, answer in kept if is_truthy(need(answer))), None)
    return first_match or context.value(UNDEFINED, node, scope)


def _reduce(context: Context, data: Items, given: Given, node: Node, scope: Scope) -> Value:
    if len(given) != 2:
        raise Unknown(ARGUMENTS)
    result = given[1]
    for item in data:
        result = context.invoke(given[0], (result, item), node, scope)
    return result


def _some(context: Context, data: Items, given: Given, node: Node, scope: Scope) -> Value:
    answers = [is_truthy(need(answer)) for answer in _answers(context, data, given, node, scope)]
    return context.value(any(answers), node, scope)


def _every(context: Context, data: Items, given: Given, node: Node, scope: Scope) -> Value:
    answers = [is_truthy(need(answer)) for answer in _answers(context, data, given, node, scope)]
    return context.value(all(answers), node, scope)


def _for_each(context: Context, data: Items, given: Given, node: Node, scope: Scope) -> Value:
    _answers(context, data, given, node, scope)
    return context.value(UNDEFINED, node, scope)


CALLING: dict[str, Callable[[Context, Items, Given, Node, Scope], Value]] = {
    "map": lambda context, data, given, node, scope: context.value(
        Items(_answers(context, data, given, node, scope)), node, scope
    ),
    "filter": _filter,
    "find": _find,
    "reduce": _reduce,
    "some": _some,
    "every": _every,
    "forEach": _for_each,
}
"""Methods that call a function for each item."""


def spread_items(context: Context, target: Items, value: Value, node: Node, scope: Scope) -> None:
    """Evaluate `...value` in a list."""
    data = value.data
    if isinstance(data, Items):
        context.spend(node, scope, len(data))
        target.extend(data)
        target.rest = target.rest or data.rest
    elif isinstance(data, str):
        spread: Record = Record()
        spread_into(context, spread, value, node, scope)
        target.extend(spread.values())
    else:
        hole = value.hole or context.new_hole(node, scope, "the spread value is unknown, or not an array")
        target.append(Value(hole, value.place))
        target.rest = hole
