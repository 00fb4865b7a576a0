"""The state of a translation: names, the output file, and doubts to report."""

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
"""Maximum nesting of expressions and statements. Deeper code has to be ported by hand."""


class Untranslated(Exception):
    """There is no translation. The message contains the reason."""

    def __init__(self, node: Node, why: str) -> None:
        super().__init__(why)
        self.node = node
        self.why = why


@dataclass(frozen=True, slots=True)
class Helper:
    """A function of the file, with what its calls require."""

    name: str
    is_async: bool
    takes_app: bool


@dataclass(frozen=True, slots=True)
class Project:
    """What is known of the project besides the file: content types, actions and service functions."""

    localized: frozenset[str] = frozenset()
    """The content types whose entries have locales."""
    singles: frozenset[str] = frozenset()
    """The single types."""
    own_actions: frozenset[str] = frozenset()
    """The actions that the project defines, such as `api::talk.talk.find`."""
    own_services: frozenset[str] = frozenset()
    """The service functions that the project defines, named in the same way."""


@dataclass(slots=True)
class Text:
    """The Python file being written: its imports, and the names of the JavaScript file that it needs."""

    module: Module
    place: str
    """Its future path: `src/api/talk/controllers/talk.py`."""
    bring: Callable[["Text", Import], Py | None]
    """Returns the translation of an import from another file of the project, or None if there is none."""
    bindings: Mapping[str, Binding]
    """The top-level names of the JavaScript file."""
    imports: set[str] = field(default_factory=set)
    """Lines such as `import json` and `from datetime import UTC`."""
    octavo: set[str] = field(default_factory=set)
    """Its imports from `octavo`."""
    wanted: dict[str, None] = field(default_factory=dict)
    """Used top-level names of the JavaScript file, in order of use."""
    helpers: dict[str, Helper] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)
    """Why statements have no translation, one reason for each."""
    doubted: int = 0
    project: Project = Project()


@dataclass(slots=True)
class Frame:
    """A Python function: the names used in it, and what it requires."""

    taken: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    role: str = ""
    """Its role in v4: "action", "policy", "middleware", "hook"; empty for other functions of the project."""
    awaits: bool = False
    is_lambda: bool = False
    refuses: int = 0
    """How many error responses (`return ctx.badRequest()`) became raised errors."""
    goes_on: bool = False
    """Whether a middleware has called `next` and stored the response."""


@dataclass(frozen=True, slots=True)
class Known:
    """The translation of a JavaScript name, and the function that declares it; None for the file."""

    value: Py
    frame: Frame | None


@dataclass(slots=True)
class Scope:
    """The current scope. `app` is the expression for `strapi`; `owner` is the UID of what is translated."""

    text: Text
    frame: Frame
    names: dict[str, Known]
    app: str
    owner: str
    read: Callable[["Scope", Node], Py]
    """Translates an expression that has a value."""
    reach: Callable[["Scope", Node], Py]
    """Translates an expression, or a prefix of one."""
    define: Callable[["Scope", Node, str], str]
    """Writes a nested function before the statement, and returns its name."""
    before: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    depth: int = 0
    inside: bool = False
    """Whether it is inside a comprehension or a lambda, whose names a function before the statement cannot use."""
    status: str = ""
    """The value of `ctx.status`, for the next response."""

    @property
    def module(self) -> Module:
        return self.text.module

    def inner(self, frame: Frame | None = None) -> "Scope":
        """Return a scope for a block or, with a frame, for a function. Names declared in it are not visible outside."""
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
        """Return the Python name for a name declared here: a different one if it is already used in the function."""
        plain = wish or python_name(name)
        chosen, number = plain, 2
        while chosen in self.frame.taken:
            chosen, number = f"{plain}_{number}", number + 1
        self.frame.taken.add(chosen)
        self.names[name] = Known(Py(chosen, kind=kind), self.frame)
        return chosen

    def alias(self, name: str, value: Py) -> None:
        """Map a JavaScript name to an expression."""
        self.names[name] = Known(value, self.frame)

    def learn(self, name: str, kind: str) -> None:
        """Record the kind of a name's value."""
        known = self.names.get(name)
        if known is not None:
            self.names[name] = Known(Py(known.value.text, known.value.binds, kind), known.frame)

    def doubt(self, says: str) -> None:
        """Mark the current statement for review, with a reason."""
        if says not in self.doubts:
            self.doubts.append(says)

    def awaited(self, text: str, node: Node, kind: str = "") -> Py:
        """Return `await text`."""
        if self.frame.is_lambda:
            raise Untranslated(node, "cannot await in a lambda")
        self.frame.awaits = True
        return Py(f"await {text}", Binds.AWAIT, kind)

    @contextmanager
    def deeper(self, node: Node) -> Iterator[None]:
        """Enter a nested level. Raises Untranslated if it is too deep."""
        if self.depth >= DEEPEST:
            raise Untranslated(node, "nested too deeply")
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1
