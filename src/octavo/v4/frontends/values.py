"""Values of a front end's expressions. Parts that only running the code would give are gaps."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final
from urllib.parse import quote

from tree_sitter import Node

from octavo.core.values import dataclass
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.values import UNDEFINED

LONGEST_TEXT: Final = 64 * 1024
MOST_PARTS: Final = 2_000

NodeKey = tuple[str, int, int]


def key_of_node(module: Module, node: Node) -> NodeKey:
    """Return a key of a node that is unique across files."""
    return module.file, node.start_byte, node.end_byte


@dataclass(frozen=True, slots=True)
class Gap:
    """An unknown value. `name` is its last name in the source, such as `slug` for `params.slug`."""

    name: str = ""

    def below(self, name: str) -> "Gap":
        """Return a property of the value."""
        return self if name in ("value", "current") and self.name else Gap(name)


@dataclass(frozen=True, slots=True)
class Text:
    """A text with gaps."""

    parts: tuple[str | Gap, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Closure:
    """A function. `frame` are the arguments of the functions around it."""

    module: Module
    node: Node
    frame: "Frame"

    @property
    def key(self) -> NodeKey:
        return key_of_node(self.module, self.node)


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Arguments of calls, by function."""

    given: Mapping[NodeKey, tuple[Any, ...]] = field(default_factory=dict)

    def called(self, function: Closure, given: tuple[Any, ...]) -> "Frame":
        return Frame({**self.given, **function.frame.given, function.key: given})


@dataclass(slots=True, eq=False)
class Address:
    """A `URL` or `URLSearchParams` object: its text, and the parameters that are added to it."""

    text: Any = ""
    parameters: list[tuple[Any, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class Client:
    """An HTTP client with a base URL. `is_strapi`: a client library of Strapi, whose methods are named after actions.

    `collection` is the name in `client.collection('articles')`.
    """

    base: Any = ""
    is_strapi: bool = False
    collection: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class Method:
    """A method of a client."""

    client: Client
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Namespace:
    """All exports of a module."""

    module: Module


def to_parts(value: Any) -> tuple[str | Gap, ...]:
    """Return a value as the parts of a text, as in a template literal."""
    match value:
        case Text():
            return value.parts
        case str() | Gap():
            return (value,)
        case bool():
            return ("true" if value else "false",)
        case None:
            return ("null",)
        case int():
            return (str(value),)
        case float():
            return (str(int(value)) if value.is_integer() else str(value),)
        case list():
            return joined_parts(value, ",")
        case Address():
            return address_parts(value)
    return ("",) if value is UNDEFINED else (Gap(),)


def joined_parts(values: list[Any], separator: str) -> tuple[str | Gap, ...]:
    """Return the parts of values with a separator between them."""
    parts: list[str | Gap] = []
    for index, value in enumerate(values):
        parts += [separator] if index else []
        parts += to_parts(value)
    return tuple(parts)


def text_of_parts(parts: tuple[str | Gap, ...]) -> Any:
    """Return a text with gaps as the simplest value: adjacent texts are joined. A text that is too long is a gap."""
    if len(parts) > MOST_PARTS or sum(len(part) for part in parts if isinstance(part, str)) > LONGEST_TEXT:
        return Gap()
    pieces: list[str | Gap] = []
    for part in parts:
        if isinstance(part, str) and pieces and isinstance(pieces[-1], str):
            pieces[-1] += part
        elif part != "":
            pieces.append(part)
    if not pieces:
        return ""
    return pieces[0] if len(pieces) == 1 and isinstance(pieces[0], str) else Text(tuple(pieces))


def address_parts(address: Address) -> tuple[str | Gap, ...]:
    """Return the text of a `URL` with its parameters, or of a `URLSearchParams`, which has no other text."""
    parts = list(to_parts(address.text))
    has_query = address.text == "" or any("?" in part for part in parts if isinstance(part, str))
    for index, (name, value) in enumerate(address.parameters):
        parts.append("" if index == 0 and address.text == "" else "&" if has_query else "?")
        parts += [*encoded(name, safe="[]$"), "=", *encoded(value)]
        has_query = True
    return tuple(parts)


def encoded(value: Any, safe: str = "") -> tuple[str | Gap, ...]:
    """Return the parts of a value, percent-encoded."""
    return tuple(quote(part, safe=safe) if isinstance(part, str) else part for part in to_parts(value))
