"""The evaluator: computes values from a project's files and the environment. It runs no code."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tree_sitter import Node

from octavo.v4.javascript.context import DEEPEST_EXPRESSION, MOST_MODULES, Context, Holed, Scope, hole_of
from octavo.v4.javascript.environment import ENVIRONMENT
from octavo.v4.javascript.expressions import EXPRESSIONS
from octavo.v4.javascript.modules import resolve
from octavo.v4.javascript.natives import FUNCTIONS, PACKAGES
from octavo.v4.javascript.parse import Module, parse_file
from octavo.v4.javascript.patterns import bind, taken
from octavo.v4.javascript.semantics import RUN_TIME, SYNTAX, Unknown
from octavo.v4.javascript.source import Place, SourceProblem, name_in
from octavo.v4.javascript.statements import Break, default_of, run
from octavo.v4.javascript.syntax import parameters, statements, unwrap
from octavo.v4.javascript.taint import taint
from octavo.v4.javascript.values import UNDEFINED, Data, Function, Hole, Items, Native, Record, Value, joined_variables

DEEPEST_VALUE = 60
MOST_VALUES = 50_000
MAKING_TEXT = frozenset({"binary_expression", "template_string", "call_expression"})
CHARACTERS_A_STEP = 64
"""Characters of a new text that count as one step, which limits the memory that a file can use to some megabytes."""

TOO_DEEP = "nested too deeply to evaluate"


class Reader(Context):
    """Evaluates files in the folder `project`, with `variables` as their environment.

    `NODE_ENV` is `environment` unless the variables set it. Use one reader for one reading of a project: required files
    are read once.
    """

    def __init__(self, project: Path, variables: Mapping[str, str], environment: str = "development") -> None:
        super().__init__(project.resolve(), {"NODE_ENV": environment, **variables})
        self._modules: dict[Path, Value | None] = {}
        self._depth = 0
        self._built = self._output_folder()

    def read(self, path: Path) -> Value:
        """Return the exports of a file: `module.exports`, or an object of the named exports of an ES module.

        Raises `SourceProblem`, like the other methods.
        """
        return self._settled(lambda: self._load(path), path)

    def read_config(self, path: Path) -> Value:
        """Return the configuration in a file as v4 reads it: its default export, called with `{ env }` if it is a
        function."""
        return self._settled(lambda: self._configured(path), path)

    def _configured(self, path: Path) -> Value:
        value = default_of(self._load(path))
        if not isinstance(value.data, Function):
            return value
        place = value.place
        strapi = Hole(place, "strapi", RUN_TIME)
        given = Record([("env", Value(Native("env"), place)), ("strapi", Value(strapi, place))])
        return self.invoke(value, [Value(given, place)], value.data.node, value.data.scope)

    def _settled(self, made: Callable[[], Value], path: Path) -> Value:
        self._steps = 0
        try:
            return _Copy().of(made())
        except RecursionError:
            raise SourceProblem(Place(name_in(path, self.project)), TOO_DEEP) from None

    # The interface for the parts of the evaluator.

    def evaluate(self, node: Node, scope: Scope) -> Value:
        node = unwrap(node)
        self.spend(node, scope)
        self._depth += 1
        try:
            if self._depth > DEEPEST_EXPRESSION:
                raise Unknown("nested too deeply")
            handler = EXPRESSIONS.get(node.type)
            if handler is None:
                hole = self.new_hole(node, scope, "unsupported expression")
                taint(self, node, scope, hole)
                return Value(hole, hole.place)
            value = handler(self, node, scope)
            if isinstance(value.data, str) and node.type in MAKING_TEXT:
                self.spend(node, scope, len(value.data) // CHARACTERS_A_STEP)
            return value
        except (Unknown, Holed) as unknown:
            return Value(hole_of(self, unknown, node, scope), scope.module.place(node))
        finally:
            self._depth -= 1

    def run(self, statements: Sequence[Node], scope: Scope) -> Value | None:
        return run(self, statements, scope)

    def property(self, value: Value, key: str, node: Node, scope: Scope) -> Value:
        return taken(self, value, key, node, scope)

    def invoke(self, function: Value, given: Sequence[Value], node: Node, scope: Scope) -> Value:
        data = function.data
        if isinstance(data, Function):
            return self._invoke_own(data, given, node, scope)
        native = FUNCTIONS.get(data.name) or ENVIRONMENT.get(data.name) if isinstance(data, Native) else None
        if native is None:
            raise Unknown("unknown function")
        answer = native(self, given, node, scope)
        return answer if isinstance(answer, Value) else self.value(answer, node, scope, joined_variables(given))

    def _invoke_own(self, function: Function, given: Sequence[Value], node: Node, called_in: Scope) -> Value:
        scope = Scope(function.module, function.scope)
        undefined = self.value(UNDEFINED, node, called_in)
        if "generator" in function.node.type:
            raise Unknown("generators are not supported")
        for index, pattern in enumerate(parameters(function.node)):
            if pattern.type == "rest_pattern":
                bind(self, pattern, Value(Items(given[index:]), undefined.place), scope)
            else:
                bind(self, pattern, given[index] if index < len(given) else undefined, scope)
        body = function.node.child_by_field_name("body")
        if body is None:
            return undefined
        if body.type != "statement_block":
            return self.evaluate(body, scope)
        try:
            return self.run(statements(body), scope) or undefined
        except Break:
            raise Unknown(SYNTAX) from None

    def require(self, specifier: str, node: Node, scope: Scope) -> Data:
        name = PACKAGES.get(specifier.removeprefix("node:"))
        if name is not None:
            return Native(name)
        path = resolve(scope.module, specifier)
        if path is None:
            reason = (
                "the file cannot be read" if specifier.startswith(".") else "imports from packages are not supported"
            )
            return Hole(scope.module.place(node), specifier[:60], reason)
        try:
            return self._load(path).data
        except SourceProblem as problem:
            if problem.message == TOO_DEEP or "steps" in problem.message:
                raise
            return Hole(problem.place, specifier[:60], problem.message)

    def dirname(self, module: Module) -> Path:
        folder = (module.path or self.project / module.file).resolve().parent
        if self._built is not None and folder.is_relative_to(self.project):
            return self._built / folder.relative_to(self.project)
        return folder

    def source_folder(self, path: Path) -> Path | None:
        if self._built is None or not path.is_relative_to(self._built):
            return None
        return self.project / path.relative_to(self._built)

    # Modules.

    def _output_folder(self) -> Path | None:
        """Return the folder where v4 runs compiled TypeScript; None for a project in JavaScript."""
        if not (self.project / "tsconfig.json").is_file():
            return None
        return self.project / "dist"

    def _load(self, path: Path) -> Value:
        path = path.resolve()
        place = Place(name_in(path, self.project))
        if path in self._modules:
            return self._modules[path] or Value(Hole(place, path.name, "circular import"), place)
        if len(self._modules) >= MOST_MODULES:
            raise SourceProblem(place, f"imports more than {MOST_MODULES} files")
        self._modules[path] = None
        module = parse_file(path, self.project)
        scope = self._scope(module)
        value = self.evaluate(module.root, scope) if module.is_json else self._run_module(module, scope)
        self._modules[path] = value
        return value

    def _run_module(self, module: Module, scope: Scope) -> Value:
        try:
            left = run(self, statements(module.root), scope)
        except Break:
            left = None
        return left if left is not None else scope.names["module"].at("exports")

    def _scope(self, module: Module) -> Scope:
        place = Place(module.file)
        exports = Value(Record(), place)
        held = Value(Record([("exports", exports)]), place)
        return Scope(module, None, {"module": held, "exports": exports})


class _Copy:
    """An immutable copy of a value as a tree. Values that contain themselves, or are endless when expanded, have
    none."""

    def __init__(self) -> None:
        self._count = 0

    def of(self, value: Value, depth: int = 0) -> Value:
        self._count += 1
        if self._count > MOST_VALUES:
            raise SourceProblem(value.place, "too many values")
        data = value.data
        if isinstance(data, Record | Items) and depth > DEEPEST_VALUE:
            return Value(Hole(value.place, "", "circular, or nested too deeply"), value.place)
        if isinstance(data, Record):
            entries = [(key, self.of(one, depth + 1)) for key, one in data.ordered() if key != "__esModule"]
            return Value(Record(entries, data.rest), value.place, value.variables)
        if isinstance(data, Items):
            return Value(Items([self.of(one, depth + 1) for one in data], data.rest), value.place, value.variables)
        return value
