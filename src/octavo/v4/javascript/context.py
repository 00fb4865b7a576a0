"""The interface between the parts of the evaluator: scopes, limits, and holes."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path

from tree_sitter import Node

from octavo.core.values import dataclass
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.semantics import Unknown
from octavo.v4.javascript.source import SourceProblem
from octavo.v4.javascript.values import UNDEFINED, Data, Hole, Items, Record, Value, Variable

MOST_STEPS = 100_000
"""Maximum number of evaluations in one file, including those repeated by loops and functions."""

DEEPEST_EXPRESSION = 120
MOST_MODULES = 100


class Holed(Exception):
    """A requested value depends on a hole."""

    def __init__(self, hole: Hole) -> None:
        self.hole = hole


@dataclass(slots=True, eq=False)
class Scope:
    """The visible names: those of a block, then those of its outer scopes."""

    module: Module
    parent: "Scope | None" = None
    names: dict[str, Value] = field(default_factory=dict)

    def owner(self, name: str) -> "Scope | None":
        """Return the scope that declares a name."""
        scope: Scope | None = self
        while scope is not None and name not in scope.names:
            scope = scope.parent
        return scope

    def inner(self) -> "Scope":
        return Scope(self.module, self)


class Context(ABC):
    """The state of reading a project's files. `project` is its folder, `dirname` is where v4 would run a file from."""

    def __init__(self, project: Path, variables: Mapping[str, str]) -> None:
        self.project = project
        self.variables = dict(variables)
        self._steps = 0

    @abstractmethod
    def evaluate(self, node: Node, scope: Scope) -> Value:
        """Evaluate an expression; the result is a hole if its value is unknown."""

    @abstractmethod
    def run(self, statements: Sequence[Node], scope: Scope) -> Value | None:
        """Run statements as far as they are understood, and return the returned value, if any."""

    @abstractmethod
    def invoke(self, function: Value, given: Sequence[Value], node: Node, scope: Scope) -> Value:
        """Call a function of a readable file, or a known native one."""

    @abstractmethod
    def property(self, value: Value, key: str, node: Node, scope: Scope) -> Value:
        """Return a property of a value; a hole if it is unknown."""

    @abstractmethod
    def require(self, specifier: str, node: Node, scope: Scope) -> Data:
        """Return the result of `require(specifier)` at `node` in the module of `scope`."""

    @abstractmethod
    def source_folder(self, path: Path) -> Path | None:
        """Return the folder of the source that TypeScript compiles to `path`."""

    @abstractmethod
    def dirname(self, module: Module) -> Path:
        """Return `__dirname` of a module; for TypeScript, the folder of the compiled file."""

    def spend(self, node: Node, scope: Scope, steps: int = 1) -> None:
        """Count evaluation steps. Raises `SourceProblem` if there are too many."""
        self._steps += steps
        if self._steps > MOST_STEPS:
            raise SourceProblem(scope.module.place(node), "takes too many steps to evaluate")

    def new_hole(self, node: Node, scope: Scope, reason: str) -> Hole:
        return Hole(scope.module.place(node), scope.module.excerpt(node), reason)

    def hole(self, node: Node, scope: Scope, reason: str) -> Value:
        """Return a hole at the location of `node`."""
        return Value(self.new_hole(node, scope, reason), scope.module.place(node))

    def value(self, data: Data, node: Node, scope: Scope, variables: tuple[Variable, ...] = ()) -> Value:
        return Value(data, scope.module.place(node), variables)

    def variable(self, name: str, node: Node, scope: Scope) -> Variable:
        """Return an environment variable as read at `node`."""
        return Variable(name, name in self.variables, False, scope.module.place(node))


def need(value: Value) -> Data:
    """Return the data of a known value. Raises `Holed`."""
    if isinstance(value.data, Hole):
        raise Holed(value.data)
    return value.data


def unset(value: Value) -> str | None:
    """Return the variable that resulted in `undefined`, as the reason for a failure."""
    names = [one.name for one in value.variables if not one.is_set]
    if not names or value.is_given:
        return None
    return f"the variable {names[0][:60]} is not set (set it in .env)"


def hide(data: Data, hole: Hole) -> None:
    """Make everything in an object or list unknown."""
    if isinstance(data, Record):
        for key, value in data.items():
            data[key] = Value(hole, value.place)
        data.rest = hole
    elif isinstance(data, Items):
        data[:] = [Value(hole, value.place) for value in data]
        data.rest = hole


def hole_of(context: Context, unknown: Unknown | Holed, node: Node, scope: Scope) -> Hole:
    """Return the hole for an expression that could not be evaluated: the original one, or one at `node`."""
    return unknown.hole if isinstance(unknown, Holed) else context.new_hole(node, scope, str(unknown))


Given = Sequence[Value]
Answer = Data | Value
NativeFunction = Callable[[Context, Given, Node, Scope], Answer]


def first(given: Given) -> Data:
    """Return the first argument."""
    return at(given, 0)


def at(given: Given, index: int) -> Data:
    """Return an argument, or `undefined` if it is missing. Raises `Holed`."""
    return need(given[index]) if index < len(given) else UNDEFINED


def text_at(given: Given, index: int) -> str:
    """Return an argument that must be a text. Raises `Unknown` if it is not."""
    item = at(given, index)
    if not isinstance(item, str):
        reason = unset(given[index]) if index < len(given) else None
        raise Unknown(reason or "the argument is not a string")
    return item
