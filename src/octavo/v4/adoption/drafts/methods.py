"""Translate JavaScript built-ins (lists, texts, dates, JSON, Math) and common packages."""

from collections.abc import Callable, Sequence
from typing import Final

from tree_sitter import Node

from octavo.core.values import dataclass
from octavo.v4.adoption.drafts.lists import EACH, ORDERS, each
from octavo.v4.adoption.drafts.python import Binds, Py, text_literal
from octavo.v4.adoption.drafts.scope import Scope, Untranslated
from octavo.v4.javascript.syntax import arguments

Given = Sequence[Py]

_TEXTS: Final = {
    "toLowerCase": "lower",
    "toUpperCase": "upper",
    "trim": "strip",
    "trimStart": "lstrip",
    "trimEnd": "rstrip",
    "startsWith": "startswith",
    "endsWith": "endswith",
}
_DATES: Final = {
    "getFullYear": ("{}.year", Binds.WHOLE),
    "getMonth": ("{}.month - 1", Binds.ADD),
    "getDate": ("{}.day", Binds.WHOLE),
    "getHours": ("{}.hour", Binds.WHOLE),
    "getMinutes": ("{}.minute", Binds.WHOLE),
    "getTime": ("int({}.timestamp() * 1000)", Binds.WHOLE),
}


def of_values(scope: Scope, node: Node, base: Py, name: str, *, is_optional: bool) -> Py:
    """Translate a method of data. Raises Untranslated."""
    if is_optional and name != "toString":
        base = Py(f"({base.text} or {'[]' if name in EACH else text_literal('')})", kind=base.kind)
    if name in EACH:
        return each(scope, node, base, name)
    if name in ("sort", "reduce", "findIndex"):
        return ORDERS[name](scope, node, base)
    given = [scope.read(scope, item) for item in arguments(node)]
    if base.kind.startswith("regex"):
        if name == "test" and given:
            return Py(f"bool({base.text}.search({given[0].text}))", kind="bool")
        raise Untranslated(node, f"cannot translate `{name}` of a regular expression")
    if base.kind == "date":
        return _of_date(node, base, name)
    if base.kind == "http answer" and name in ("json", "text"):
        return Py(f"{base.whole}.json()") if name == "json" else Py(f"{base.whole}.text", kind="text")
    if name in _TEXTS:
        return Py(f"{base.whole}.{_TEXTS[name]}({', '.join(value.text for value in given)})", kind="text")
    translate = _METHODS.get(name)
    if translate is None:
        raise Untranslated(node, f"cannot translate `{name}`")
    return translate(scope, node, base, given)


def _of_date(node: Node, base: Py, name: str) -> Py:
    if name in ("toISOString", "toJSON"):
        return Py(f"{base.whole}.isoformat()", kind="text")
    if name not in _DATES:
        raise Untranslated(node, f"cannot translate `{name}` of a date")
    pattern, binds = _DATES[name]
    return Py(pattern.format(base.whole), binds, "number")


def _includes(scope: Scope, node: Node, base: Py, given: Given) -> Py:
    return Py(f"{given[0].within(Binds.ADD)} in {base.within(Binds.ADD)}", Binds.COMPARE, "bool")


def _join(scope: Scope, node: Node, base: Py, given: Given) -> Py:
    between = given[0].whole if given else '","'
    return Py(f"{between}.join(map(str, {base.text}))", kind="text")


def _slice(scope: Scope, node: Node, base: Py, given: Given) -> Py:
    first, last = ([value.text for value in given] + ["", ""])[:2]
    return Py(f"{base.whole}[{'' if first == '0' else first}:{last}]", kind=base.kind)


def _split(scope: Scope, node: Node, base: Py, given: Given) -> Py:
    if not given or given[0].kind != "text" or given[0].text == '""':
        raise Untranslated(node, "the separator of `split` must be a non-empty string")
    return Py(f"{base.whole}.split({given[0].text})", kind="list")


def _replace(scope: Scope, node: Node, base: Py, given: Given) -> Py:
    if len(given) != 2 or given[1].kind not in ("text", ""):
        raise Untranslated(node, "the replacement must be a string")
    if given[0].kind.startswith("regex"):
        if "$" in given[1].text:
            raise Untranslated(node, "cannot translate a replacement with group references")
        count = "" if given[0].kind == "regex g" else ", count=1"
        return Py(f"{given[0].text}.sub({given[1].text}, {base.text}{count})", kind="text")
    return Py(f"{base.whole}.replace({given[0].text}, {given[1].text}, 1)", kind="text")


def _replace_all(scope: Scope, node: Node, base: Py, given: Given) -> Py:
    if len(given) != 2 or given[0].kind != "text":
        raise Untranslated(node, "the text to replace must be a string")
    return Py(f"{base.whole}.replace({given[0].text}, {given[1].text})", kind="text")


def _to_string(scope: Scope, node: Node, base: Py, given: Given) -> Py:
    if given:
        raise Untranslated(node, "cannot translate `toString` with a base")
    return Py(f"str({base.text})", kind="text")


def _push(scope: Scope, node: Node, base: Py, given: Given) -> Py:
    word = "append" if len(given) == 1 else "extend"
    return Py(f"{base.whole}.{word}({given[0].text if len(given) == 1 else _tuple(given)})", kind="done")


def _tuple(given: Given) -> str:
    return f"({', '.join(value.text for value in given)})"


def _concat(scope: Scope, node: Node, base: Py, given: Given) -> Py:
    return Py(f"[*{base.whole}, {', '.join(f'*{value.whole}' for value in given)}]", kind="list")


def _owns(scope: Scope, node: Node, base: Py, given: Given) -> Py:
    return Py(f"{given[0].within(Binds.ADD)} in {base.within(Binds.ADD)}", Binds.COMPARE, "bool")


def _pop(scope: Scope, node: Node, base: Py, given: Given) -> Py:
    scope.doubt("raises an error for an empty list; in JavaScript the result is undefined")
    return Py(f"{base.whole}.pop()")


def _shift(scope: Scope, node: Node, base: Py, given: Given) -> Py:
    scope.doubt("raises an error for an empty list; in JavaScript the result is undefined")
    return Py(f"{base.whole}.pop(0)")


def _index_of(scope: Scope, node: Node, base: Py, given: Given) -> Py:
    sought = given[0]
    if base.kind == "text":
        return Py(f"{base.whole}.find({sought.text})", kind="number")
    place = f"{base.whole}.index({sought.text})"
    return Py(f"{place} if {sought.within(Binds.ADD)} in {base.within(Binds.ADD)} else -1", Binds.CHOICE, "number")


def _fixed(scope: Scope, node: Node, base: Py, given: Given) -> Py:
    digits = given[0].text if given else "0"
    if not digits.isdigit():
        raise Untranslated(node, "the number of digits must be a literal")
    return Py(f'format({base.text}, ".{digits}f")', kind="text")


def _pad(scope: Scope, node: Node, base: Py, given: Given) -> Py:
    return Py(f"{base.whole}.rjust({', '.join(value.text for value in given)})", kind="text")


def _reverse(scope: Scope, node: Node, base: Py, given: Given) -> Py:
    return Py(f"list(reversed({base.text}))", kind=base.kind)


def _flat(scope: Scope, node: Node, base: Py, given: Given) -> Py:
    return Py(f"[part for item in {base.within(Binds.OR)} for part in item]", kind="list")


_METHODS: Final[dict[str, Callable[[Scope, Node, Py, Given], Py]]] = {
    "includes": _includes,
    "join": _join,
    "slice": _slice,
    "substring": _slice,
    "split": _split,
    "replace": _replace,
    "replaceAll": _replace_all,
    "toString": _to_string,
    "push": _push,
    "concat": _concat,
    "hasOwnProperty": _owns,
    "flat": _flat,
    "pop": _pop,
    "shift": _shift,
    "indexOf": _index_of,
    "toFixed": _fixed,
    "padStart": _pad,
    "reverse": _reverse,
}


@dataclass(frozen=True, slots=True)
class _Simple:
    """A function of one argument: `{0}` is its text, `{1}` the same in parentheses if needed for a suffix."""

    pattern: str
    kind: str = ""
    needs: str = ""
    doubt: str = ""
    binds: Binds = Binds.WHOLE


_NO_NUMBER: Final = "raises an error for an invalid number; in JavaScript the result is NaN"
_JSON: Final = "from json import dumps, loads"
_SIMPLE: Final = {
    "String": _Simple("str({0})", "text"),
    "Boolean": _Simple("bool({0})", "bool"),
    "parseInt": _Simple("int({0})", "number", doubt=_NO_NUMBER),
    "parseFloat": _Simple("float({0})", "number", doubt=_NO_NUMBER),
    "Number": _Simple("float({0})", "number", doubt=_NO_NUMBER),
    "isNaN": _Simple(
        "not str({0}).isdigit()",
        "bool",
        doubt="unlike isNaN, this does not accept 1.5 and -1 as numbers",
        binds=Binds.NOT,
    ),
    "encodeURIComponent": _Simple('quote(str({0}), safe="")', "text", "from urllib.parse import quote"),
    "JSON.stringify": _Simple("dumps({0})", "text", _JSON),
    "JSON.parse": _Simple("loads({0})", "", _JSON),
    "Promise.all": _Simple("{0}", "list", binds=Binds.CHOICE),
    "Array.isArray": _Simple("isinstance({0}, list)", "bool"),
    "Array.from": _Simple("list({0})", "list"),
    "Object.keys": _Simple("list({0})", "list"),
    "Object.values": _Simple("list({1}.values())", "list"),
    "Object.entries": _Simple("list({1}.items())", "list"),
    "new Set": _Simple("list(dict.fromkeys({0}))", "list"),
}


def of_globals(scope: Scope, node: Node, name: str, given: Given) -> Py:
    """Translate `JSON.stringify(x)`, `Number(x)`, `new Date()`, ... Raises Untranslated."""
    if name in ("new Date", "Date.now"):
        return _moment(scope, name, given)
    if name.startswith("Math."):
        return _math(scope, node, name.removeprefix("Math."), given)
    if name == "Object.assign" and len(given) == 2:
        scope.doubt("returns a new dictionary; Object.assign also changes its first argument")
        return Py(f"{{**({given[0].text}), **({given[1].text})}}", kind="dict")
    simple = _SIMPLE.get(name)
    if simple is None or not given or (len(given) > 1 and name != "parseInt"):
        raise Untranslated(node, f"cannot translate `{name}`")
    scope.text.imports |= {simple.needs} - {""}
    if simple.doubt:
        scope.doubt(simple.doubt)
    return Py(simple.pattern.format(given[0].text, given[0].whole), simple.binds, simple.kind)


def _moment(scope: Scope, name: str, given: Given) -> Py:
    scope.text.imports.add("from datetime import UTC, datetime")
    if name == "Date.now":
        return Py("int(datetime.now(UTC).timestamp() * 1000)", kind="number")
    if not given:
        return Py("datetime.now(UTC)", kind="date")
    if given[0].kind == "number":
        return Py(f"datetime.fromtimestamp({given[0].within(Binds.MULTIPLY)} / 1000, UTC)", kind="date")
    scope.doubt("accepts only ISO 8601 dates")
    return Py(f"datetime.fromisoformat({given[0].text})", kind="date")


def _math(scope: Scope, node: Node, name: str, given: Given) -> Py:
    listed = ", ".join(value.text for value in given)
    if name == "random":
        scope.text.imports.add("import random")
        return Py("random.random()", kind="number")
    if name in ("min", "max", "abs", "round") and given:
        return Py(f"{name}({listed})", kind="number")
    if name in ("floor", "ceil", "sqrt") and given:
        scope.text.imports.add("import math")
        return Py(f"math.{name}({listed})", kind="number")
    raise Untranslated(node, f"cannot translate `Math.{name}`")


def of_lodash(scope: Scope, node: Node, name: str, given: Given) -> Py:
    """Translate functions of lodash that have an equivalent in Python. Raises Untranslated."""
    first = given[0] if given else Py("")
    if name == "isEmpty":
        return Py(f"not {first.within(Binds.NOT)}", Binds.NOT, "bool")
    if name in ("isNil", "isUndefined", "isNull"):
        return Py(f"{first.within(Binds.ADD)} is None", Binds.COMPARE, "bool")
    if name == "isArray":
        return Py(f"isinstance({first.text}, list)", kind="bool")
    raise Untranslated(node, f"cannot translate `{name}` of lodash")


def of_packages(scope: Scope, node: Node, package: str, name: str, given: Given) -> Py:
    """Translate axios, fetch, slugify, uuid and crypto. Raises Untranslated."""
    first = given[0] if given else Py("")
    if package == "slugify" and given:
        scope.doubt("returns lowercase letters and digits joined by hyphens; options of the package are left out")
        scope.text.octavo.add("slugify")
        return Py(f"slugify({first.text})", kind="text")
    if package == "uuid" or (package == "crypto" and name == "randomUUID"):
        scope.text.imports.add("from uuid import uuid4")
        return Py("str(uuid4())", kind="text")
    raise Untranslated(node, f"cannot translate `{package}{f'.{name}' if name else ''}`")
