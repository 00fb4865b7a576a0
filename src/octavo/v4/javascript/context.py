"""What the parts of the evaluator share: scopes, limits, how a hole is made, and what each part may ask the others."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path

from tree_sitter import Node

from octavo.core.values import dataclass
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.semantics import Unknown
from octavo.v4.javascript.source import SourceProblem
from octavo.v4.javascript.values import Data, Hole, Items, Record, Value, Variable

MOST_STEPS = 100_000
"""Expressions that one file may evaluate, loops and functions counted as often as they run."""

DEEPEST_EXPRESSION = 120
MOST_MODULES = 100


class Holed(Exception):
    """What is asked for follows from a hole."""

    def __init__(self, hole: Hole) -> None:
        self.hole = hole


@dataclass(slots=True, eq=False)
class Scope:
    """The names that code sees: those of a block, then those around it."""

    module: Module
    parent: "Scope | None" = None
    names: dict[str, Value] = field(default_factory=dict)

    def owner(self, name: str) -> "Scope | None":
        """The scope that declares a name."""
        scope: Scope | None = self
        while scope is not None and name not in scope.names:
            scope = scope.parent
        return scope

    def inner(self) -> "Scope":
        return Scope(self.module, self)


class Context(ABC):
    """One reading of a project's files. `project` is its folder, `dirname` is where v4 would run a file from."""

    def __init__(self, project: Path, variables: Mapping[str, str]) -> None:
        self.project = project
        self.variables = dict(variables)
        self._steps = 0

    @abstractmethod
    def evaluate(self, node: Node, scope: Scope) -> Value:
        """What an expression comes to; a hole where that cannot be known."""

    @abstractmethod
    def run(self, statements: Sequence[Node], scope: Scope) -> Value | None:
        """Runs statements, as far as they are understood; what they return, if they do."""

    @abstractmethod
    def invoke(self, function: Value, given: Sequence[Value], node: Node, scope: Scope) -> Value:
        """What a function of a readable file, or a known one, answers."""

    @abstractmethod
    def property(self, value: Value, key: str, node: Node, scope: Scope) -> Value:
        """A property of a value; a hole where it is not known."""

    @abstractmethod
    def require(self, specifier: str, node: Node, scope: Scope) -> Data:
        """What `require(specifier)`, which stands at `node`, gives in the module of `scope`."""

    @abstractmethod
    def source_folder(self, path: Path) -> Path | None:
        """Where the source of what TypeScript compiles to `path` lies."""

    @abstractmethod
    def dirname(self, module: Module) -> Path:
        """`__dirname` of a module; of TypeScript, where the compiled file lies."""

    def spend(self, node: Node, scope: Scope, steps: int = 1) -> None:
        """Counts what is done. Raises `SourceProblem` when it is too much."""
        self._steps += steps
        if self._steps > MOST_STEPS:
            raise SourceProblem(scope.module.place(node), "It takes too many steps to evaluate")

    def new_hole(self, node: Node, scope: Scope, reason: str) -> Hole:
        return Hole(scope.module.place(node), scope.module.excerpt(node), reason)

    def hole(self, node: Node, scope: Scope, reason: str) -> Value:
        """A hole that stands where `node` does."""
        return Value(self.new_hole(node, scope, reason), scope.module.place(node))

    def value(self, data: Data, node: Node, scope: Scope, variables: tuple[Variable, ...] = ()) -> Value:
        return Value(data, scope.module.place(node), variables)

    def variable(self, name: str, node: Node, scope: Scope) -> Variable:
        """An environment variable as it is read at `node`."""
        return Variable(name, name in self.variables, False, scope.module.place(node))


def need(value: Value) -> Data:
    """The data of a value that is known. Raises `Holed`."""
    if isinstance(value.data, Hole):
        raise Holed(value.data)
    return value.data


def unset(value: Value) -> str | None:
    """Why it would fail: the variable that gave `undefined`."""
    names = [one.name for one in value.variables if not one.is_set]
    if not names or value.is_given:
        return None
    return f"it would fail: the variable {names[0][:60]} is not set (set it in .env)"


def hide(data: Data, hole: Hole) -> None:
    """Nothing of an object or list is known any more."""
    if isinstance(data, Record):
        for key, value in data.items():
            data[key] = Value(hole, value.place)
        data.rest = hole
    elif isinstance(data, Items):
        data[:] = [Value(hole, value.place) for value in data]
        data.rest = hole


def hole_of(context: Context, unknown: Unknown | Holed, node: Node, scope: Scope) -> Hole:
    """The hole that follows from what could not be evaluated: the one it began with, or one at `node`."""
    return unknown.hole if isinstance(unknown, Holed) else context.new_hole(node, scope, str(unknown))
