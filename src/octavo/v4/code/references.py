"""The things that an expression in a v4 project's code may refer to."""

from typing import Final, Literal

from tree_sitter import Node

from octavo.core.values import dataclass
from octavo.v4.code.harmless_calls import validates
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.syntax import FUNCTIONS

CLASSES: Final = ("class_declaration", "class", "abstract_class_declaration")
STRAPI: Final = "strapi"

What = Literal["code", "instance", "space", "outside", "strapi", "value"]


@dataclass(frozen=True, slots=True, eq=False)
class Thing:
    """Something that an expression may refer to.

    `code` is a function, class or object of the project, `instance` an instance of a class, `space` a module with its
    exports. `outside` is not the project's: harmless, or unknown. `strapi` is a path from `strapi`. `value` is any
    other.
    """

    what: What
    module: Module | None = None
    node: Node | None = None
    path: tuple[str, ...] = ()
    harmless: bool = False
    this: "Thing | None" = None


VALUE: Final = Thing("value", harmless=True)
UNKNOWN: Final = Thing("outside")
HARMLESS: Final = Thing("outside", harmless=True)
CORE: Final = Thing("outside", harmless=True)
"""A core service or controller without additions."""


def outside_member(thing: Thing, name: str) -> Thing:
    """Return a member of something that is not the project's."""
    is_of_strapi = bool(thing.path) and thing.path[0].startswith("@strapi/")
    harmless = thing.harmless and not (is_of_strapi and validates(name))
    return Thing("outside", path=(*thing.path, name), harmless=harmless)


def instance_of(thing: Thing) -> Thing:
    """Return the result of `new` for a class; anything else is returned unchanged."""
    is_class = thing.what == "code" and thing.node is not None and thing.node.type in (*CLASSES, *FUNCTIONS)
    return Thing("instance", thing.module, thing.node) if is_class else thing


def is_unknown(thing: Thing) -> bool:
    """Return whether calls of it may reject, as far as is known."""
    return thing.what in ("outside", "strapi") and not thing.harmless
