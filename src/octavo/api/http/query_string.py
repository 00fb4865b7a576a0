"""Parse query strings and URL-encoded forms: nested brackets become dictionaries and lists. Never raises an error.

The rules are those of the JavaScript library `qs`, which clients use: `a[b]=1` nests, `a[]`, `a[0]` and repeated keys
create lists, a key without `=` is `None`. Limits: 1000 parameters, 20 levels, lists of at most 100 items (a longer one
becomes a dictionary with the indexes as keys).

There are two versions of the rules (`queryStrings`). Up to v4 4.26.1, a value in addition to nested keys became another
key (`a[b]=1&a=c` is `{"b": "1", "c": True}`, now a list of both), and only an index beyond 100 turned a list into a
dictionary.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from octavo.api.http.request import Request

PARAMETER_LIMIT = 1000
DEPTH_LIMIT = 20
ITEM_LIMIT = 100

# Names that every JavaScript object has. A key that contains one of them is ignored.
IGNORED_NAMES = frozenset(
    {
        "__defineGetter__",
        "__defineSetter__",
        "__lookupGetter__",
        "__lookupSetter__",
        "__proto__",
        "constructor",
        "hasOwnProperty",
        "isPrototypeOf",
        "propertyIsEnumerable",
        "toLocaleString",
        "toString",
        "valueOf",
    }
)

_ENCODED_BRACKET = re.compile("%5[BbDd]")
_BROKEN_ESCAPE = re.compile("%(?![0-9A-Fa-f]{2})")
_ESCAPES = re.compile(rb"(?:%[0-9A-Fa-f]{2})++")
_BRACKETS = re.compile(r"\[([^\[\]]*)\]")
_DOTTED = re.compile(r"\.([^.\[]+)")
_POSITION = re.compile("0|[1-9][0-9]{0,14}")
_CACHED_KEY_LENGTH = 80


class _Rules(NamedTuple):
    """A version of the rules: which positions belong to a list (those below), and the maximum number of items."""

    merges: bool
    positions: int
    items: int


_LISTED = _Rules(merges=False, positions=ITEM_LIMIT, items=ITEM_LIMIT)
_MERGED = _Rules(merges=True, positions=ITEM_LIMIT + 1, items=PARAMETER_LIMIT)

_Step = str | int  # a name in a dictionary, or a position in a list
_Scalar = str | None


class _Items(dict[int, Any]):
    """A list under construction. Positions can come in any order and leave gaps, which are closed at the end."""

    def add(self, value: Any) -> None:
        self[max(self) + 1 if self else 0] = value

    def as_overflow(self) -> "_Overflow":
        return _Overflow(((str(position), self[position]) for position in sorted(self)), max(self) + 1)


class _Overflow(dict[str, Any]):
    """A list beyond the limit: a dictionary with positions as names, which accepts further items."""

    __slots__ = ("end",)

    def __init__(self, items: Iterable[tuple[str, Any]], end: int) -> None:
        super().__init__(items)
        self.end = end

    def add(self, value: Any) -> None:
        self[str(self.end)] = value
        self.end += 1


class _FarPosition(str):
    """A position beyond the limit, as a name."""

    __slots__ = ()


# The type of container that a step continues into without a merge.
_HOLDERS: dict[type, type] = {int: _Items, str: dict}


class _Append:
    """The step `[]` at the end of a key."""


_APPEND = _Append()
_Path = tuple[_Step | _Append, ...]


def parse_query_string(text: str, *, merged: bool = False, dotted: bool = False) -> dict[str, Any]:
    """Parse a query string without the question mark.

    `merged` selects the former version of the rules. With `dotted`, keys can have dots instead of brackets.

    >>> parse_query_string("filters[author][name]=Ann&sort[]=title&sort[]=id&populate")
    {'filters': {'author': {'name': 'Ann'}}, 'sort': ['title', 'id'], 'populate': None}
    """
    if not text:
        return {}
    rules = _MERGED if merged else _LISTED
    root: dict[str, Any] = {}
    for given, value in _read_pairs(text, rules).items():
        key = _DOTTED.sub(r"[\1]", given) if dotted and "." in given else given
        path = _split_short_key(key, rules) if len(key) <= _CACHED_KEY_LENGTH else _split_key(key, rules)
        if path is not None:
            _place(root, path, value, rules)
    for name, child in root.items():
        if isinstance(child, dict):
            root[name] = _finish(child)
    return root


def read_params(request: Request) -> dict[str, Any]:
    """Return the parameters of a request, by the configured version of the rules, or as changed by code."""
    overlay = request.overlay
    if overlay is not None and overlay.values is not None:
        return overlay.values()
    return parse_query_string(request.query, merged=request.options.merged_queries)


def parse_form(text: str) -> dict[str, Any]:
    """Parse an `application/x-www-form-urlencoded` body, with the same rules. As in v4, keys can have dots.

    >>> parse_form("data.title=Emma&data[author].name=Jane")
    {'data': {'title': 'Emma', 'author': {'name': 'Jane'}}}
    """
    return parse_query_string(text, dotted=True)


def _read_pairs(text: str, rules: _Rules) -> dict[str, Any]:
    """Return decoded keys with their values, in order. Values of a repeated key are collected."""
    if "%5" in text and not rules.merges:
        text = _ENCODED_BRACKET.sub(_decode_bracket, text)
    parts = text.split("&", PARAMETER_LIMIT)
    del parts[PARAMETER_LIMIT:]
    pairs: dict[str, Any] = {}
    for part in parts:
        # Brackets can contain an equals sign: `a[b=c]=1` is the key `a[b=c]`.
        cut = part.find("]=") + 1 or part.find("=")
        key, value = (part, None) if cut < 0 else (part[:cut], _decode(part[cut + 1 :]))
        key = _decode(key)
        if key in pairs:
            pairs[key] = _gather(pairs[key], value, rules)
        elif part:
            pairs[key] = value
    return pairs


def split_values(text: str, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split a query string into the decoded values below a parameter, and the pieces around them. By the current rules.

    >>> split_values("filters[id][$gt]=5&sort=id&filters[title]=a+b", "filters")
    (('filters[id][$gt]=', '&sort=id&filters[title]=', ''), ('5', 'a b'))
    """
    if "%5" in text:
        text = _ENCODED_BRACKET.sub(_decode_bracket, text)
    pieces, values, piece, start = list[str](), list[str](), "", f"{name}["
    for place, part in enumerate(text.split("&")):
        piece += "&" if place else ""
        cut = part.find("]=") + 2 if part.startswith(start) else 0
        if cut < 3 or place >= PARAMETER_LIMIT:
            piece += part
        else:
            pieces.append(piece + part[:cut])
            values.append(_decode(part[cut:]))
            piece = ""
    return (*pieces, piece), tuple(values)


def _decode_bracket(match: re.Match[str]) -> str:
    return "[" if match[0] in ("%5B", "%5b") else "]"


def _decode(text: str) -> str:
    """Decode plus signs and percent escapes. Text with a malformed escape is unchanged."""
    if "+" in text:
        text = text.replace("+", " ")
    if "%" not in text or _BROKEN_ESCAPE.search(text):
        return text
    try:
        return _ESCAPES.sub(_unescaped, text.encode()).decode()
    except UnicodeError:
        return text


def _unescaped(found: re.Match[bytes]) -> bytes:
    """Return the bytes of consecutive escapes, which can be a whole text."""
    return bytes.fromhex(found[0].replace(b"%", b"").decode("ascii"))


def _gather(known: Any, value: _Scalar, rules: _Rules) -> Any:
    """Add a value of a repeated key."""
    if isinstance(known, _Overflow):
        known.add(value)
        return known
    if not isinstance(known, list):
        return [known, value]
    known.append(value)
    return known if len(known) <= rules.items else _Items(enumerate(known)).as_overflow()


def _split_key(key: str, rules: _Rules) -> _Path | None:
    """Return the steps of a key, or `None` to ignore it: `a[b][0]` is `("a", "b", 0)`."""
    start = key.find("[")
    brackets = list(_BRACKETS.finditer(key, start)) if start >= 0 else []
    head = key[: brackets[0].start()] if brackets else key
    names: list[str] = [f"[{bracket[1]}]" for bracket in brackets[:DEPTH_LIMIT]]
    if any(name[1:-1] in IGNORED_NAMES for name in names) or head in IGNORED_NAMES:
        return None
    if len(brackets) > DEPTH_LIMIT:
        names.append(f"[{key[brackets[DEPTH_LIMIT].start() :]}]")
    if head:
        names.insert(0, head)
    return _read_steps(names, rules)


_split_short_key = lru_cache(maxsize=4096)(_split_key)


def _read_steps(names: list[str], rules: _Rules) -> _Path | None:
    """Convert names in brackets to steps, last one first: the meaning of `[]` depends on what follows."""
    steps: list[_Step | _Append] = []
    for name in reversed(names):
        if name == "[]":
            if not steps:
                steps.append(_APPEND)
            elif type(steps[-1]) is str:
                steps.append(0)
        elif name[0] == "[" and name[-1] == "]":
            steps.append(_read_step(name[1:-1], rules))
        else:
            steps.append(name)
    return tuple(reversed(steps)) or None


def _read_step(inner: str, rules: _Rules) -> _Step:
    if not _POSITION.fullmatch(inner):
        return inner
    if int(inner) < rules.positions:
        return int(inner)
    return inner if rules.merges else _FarPosition(inner)


def _place(root: dict[str, Any], path: _Path, value: Any, rules: _Rules) -> None:
    """Insert a value at a path, merging it with existing values."""
    steps: tuple[Any, ...] = path
    if steps[-1] is _APPEND:
        steps = (*steps[:-1], 0) if value is None or isinstance(value, str) else steps[:-1]
    if isinstance(value, list):
        value = _Items(enumerate(value))
    if not steps:
        _merge_into_names(root, value, rules)
        return
    if isinstance(steps[0], int):
        steps = (str(steps[0]), *steps[1:])
    node: Any = root
    for depth, step in enumerate(steps, 1):
        if step not in node:
            node[step] = _wrap(steps[depth:], value)
            return
        child = node[step]
        if depth == len(steps) or type(child) is not _HOLDERS.get(type(steps[depth])):
            break
        if isinstance(child, _Items) and not _leads_on(child, steps, depth):
            break
        node = child
    node[step] = _merge(child, _wrap(steps[depth:], value), rules)


def _leads_on(items: _Items, steps: tuple[Any, ...], depth: int) -> bool:
    """Return whether the next step is in the list: a free position, or an existing container."""
    position = steps[depth]
    return position not in items or (depth + 1 < len(steps) and isinstance(items[position], dict))


def _wrap(steps: tuple[Any, ...], value: Any) -> Any:
    for step in reversed(steps):
        if isinstance(step, int):
            value = _Items({step: value})
        else:
            value = {step: value} if type(step) is str else _Overflow([(step, value)], int(step) + 1)
    return value


def _merge(known: Any, new: Any, rules: _Rules) -> Any:
    """Merge two values: containers are merged, other values become items of a list."""
    if new is None or new == "":
        return known
    if isinstance(known, _Items):
        return _merge_into_items(known, new, rules)
    if isinstance(known, dict):
        return _merge_into_names(known, new, rules)
    return _put_first(known, new, rules)


def _put_first(first: _Scalar, rest: Any, rules: _Rules) -> Any:
    """Prepend a single value to later values of the same key."""
    if isinstance(rest, _Overflow):
        moved = ((str(int(name) + 1) if _POSITION.fullmatch(name) else name, rest[name]) for name in rest)
        return _Overflow([("0", first), *moved], rest.end + 1)
    if not isinstance(rest, _Items):
        return _Items({0: first, 1: rest})
    items = _Items({0: first, **{position + 1: item for position, item in rest.items()}})
    return items if max(items) < rules.items else items.as_overflow()


def _merge_into_items(known: _Items, new: Any, rules: _Rules) -> Any:
    if not isinstance(new, dict):
        grown = known.as_overflow() if max(known) >= rules.items else known
        grown.add(new)
        return grown
    if not isinstance(new, _Items):
        return _merge_into_names({str(position): known[position] for position in sorted(known)}, new, rules)
    for position, item in new.items():
        if position not in known:
            known[position] = item
        elif isinstance(known[position], dict) and isinstance(item, dict):
            known[position] = _merge(known[position], item, rules)
        else:
            known.add(item)
    return known


def _merge_into_names(known: dict[str, Any], new: Any, rules: _Rules) -> Any:
    if not isinstance(new, dict):
        if rules.merges:
            if new not in IGNORED_NAMES:
                known[new] = True
            return known
        if not isinstance(known, _Overflow):
            return _Items({0: known, 1: new})
        known.add(new)
        return known
    if isinstance(new, _Overflow):
        end = max(new.end, known.end) if isinstance(known, _Overflow) else new.end
        known = _Overflow(known.items(), end)
    for step, item in new.items():
        name = str(step)
        known[name] = _merge(known[name], item, rules) if name in known else item
    return known


def _finish(node: dict[Any, Any]) -> Any:
    """Convert a container under construction to a plain dictionary or list."""
    for step, child in node.items():
        if isinstance(child, dict):
            node[step] = _finish(child)
    if isinstance(node, _Items):
        return [node[position] for position in sorted(node)]
    return dict(node) if isinstance(node, _Overflow) else node
