"""What the translation of one piece of JavaScript knows on its way: names, the file it writes, what it doubts."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from typing import Final

from tree_sitter import Node

from octavo.core.values import dataclass
from octavo.v4.adoption.drafts.python import Binds, Py, python_name
from octavo.v4.javascript.modules import Binding, Import
from octavo.v4.javascript.parse import Module

DEEPEST: Final = 60
"""Levels of expressions and statements; whoever writes more by hand has to port it by hand."""


class Untranslated(Exception):
    """There is no Python for this; the message says why, or what is missing."""

    def __init__(self, node: Node, why: str) -> None:
        super().__init__(why)
        self.node = node
        self.why = why


@dataclass(frozen=True, slots=True)
class Helper:
    """A function of the file itself, as calls of it need to know it."""

    name: str
    is_async: bool
    takes_app: bool


@dataclass(frozen=True, slots=True)
class Project:
    """What has to be known of a project besides the file: names of content-types, actions and functions of services."""

    localized: frozenset[str] = frozenset()
    """The content-types whose entries have locales."""
    singles: frozenset[str] = frozenset()
    """The single types."""
    own_actions: frozenset[str] = frozenset()
    """The actions that the project has itself, such as `api::talk.talk.find`."""
    own_services: frozenset[str] = frozenset()
    """The functions of services that the project has itself, by the same names."""


@dataclass(slots=True)
class Text:
    """The Python file as it grows: what it imports, and the names of the JavaScript file that it needs."""

    module: Module
    place: str
    """Where it will stand: `src/api/talk/controllers/talk.py`."""
    bring: Callable[["Text", Import], Py | None]
    """What an import from another file of the project stands for; None where there is no translation of it."""
    bindings: Mapping[str, Binding]
    """The names at the top of the JavaScript file."""
    imports: set[str] = field(default_factory=set)
    """Lines such as `import json` and `from datetime import UTC`."""
    octavo: set[str] = field(default_factory=set)
    """What it imports from `octavo`."""
    wanted: dict[str, None] = field(default_factory=dict)
    """Names that stand at the top of the JavaScript file, in the order in which they were met."""
    helpers: dict[str, Helper] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)
    """Why statements have no translation, one for each."""
    doubted: int = 0
    project: Project = Project()


@dataclass(slots=True)
class Frame:
    """One function of Python: the names that are taken in it, and what it turned out to need."""

    taken: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    role: str = ""
    """What it is for v4: "action", "policy", "middleware", "hook"; empty for functions of the project's own."""
    awaits: bool = False
    is_lambda: bool = False
    refuses: int = 0
    """How many refusals (`return ctx.badRequest()`) are errors that are raised."""
    goes_on: bool = False
    """A middleware has asked what follows, and kept the answer."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a name of JavaScript stands for, and the function that it belongs to; None for the file's own."""

    value: Py
    frame: Frame | None


@dataclass(slots=True)
class Scope:
    """Where the translation stands. `app` is how `strapi` is reached here; `owner` is the uid of what is translated."""

    text: Text
    frame: Frame
    names: dict[str, Known]
    app: str
    owner: str
    read: Callable[["Scope", Node], Py]
    """Translates an expression that has a value."""
    reach: Callable[["Scope", Node], Py]
    """Translates an expression, or what something is taken of."""
    define: Callable[["Scope", Node, str], str]
    """Writes a function that stands in an expression before the statement, and answers its name."""
    before: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    depth: int = 0
    inside: bool = False
    """Inside of a comprehension or a lambda, whose names no function before the statement can see."""
    status: str = ""
    """What `ctx.status` was set to, for the answer that comes next."""

    @property
    def module(self) -> Module:
        return self.text.module

    def inner(self, frame: Frame | None = None) -> "Scope":
        """For a block, or with a frame for a function: names declared in it are not known outside."""
        return Scope(
            self.text,
            frame or self.frame,
            dict(self.names),
            self.app,
            self.owner,
            self.read,
            self.reach,
            self.define,
            self.before,
            self.doubts,
            self.depth,
            inside=self.inside and frame is None,
            status=self.status,
        )

    def declare(self, name: str, kind: str = "", wish: str = "") -> str:
        """A name that JavaScript declares here; another one where Python's function has it for something else."""
        plain = wish or python_name(name)
        chosen, number = plain, 2
        while chosen in self.frame.taken:
            chosen, number = f"{plain}_{number}", number + 1
        self.frame.taken.add(chosen)
        self.names[name] = Known(Py(chosen, kind=kind), self.frame)
        return chosen

    def alias(self, name: str, value: Py) -> None:
        """A name of JavaScript that stands for an expression."""
        self.names[name] = Known(value, self.frame)

    def learn(self, name: str, kind: str) -> None:
        """A name has got a value of a kind."""
        known = self.names.get(name)
        if known is not None:
            self.names[name] = Known(Py(known.value.text, known.value.binds, kind), known.frame)

    def doubt(self, says: str) -> None:
        """The statement under way is translated, but should be looked at."""
        if says not in self.doubts:
            self.doubts.append(says)

    def awaited(self, text: str, node: Node, kind: str = "") -> Py:
        """`await text`"""
        if self.frame.is_lambda:
            raise Untranslated(node, "something is waited for where Python cannot wait")
        self.frame.awaits = True
        return Py(f"await {text}", Binds.AWAIT, kind)

    @contextmanager
    def deeper(self, node: Node) -> Iterator[None]:
        """One level further down. Raises Untranslated."""
        if self.depth >= DEEPEST:
            raise Untranslated(node, "it nests too deeply")
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1
