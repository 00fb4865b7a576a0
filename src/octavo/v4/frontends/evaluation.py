"""Evaluate the expressions of a front end as far as its source determines them. The others are gaps."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from tree_sitter import Node

from octavo.v4.frontends.builtins import CALLS, CONSTRUCTORS, METHODS, UNWRAPPING, returned_client
from octavo.v4.frontends.files import Sources
from octavo.v4.frontends.scopes import MISSING, Scopes, taken_path
from octavo.v4.frontends.values import (
    Address,
    Client,
    Closure,
    Frame,
    Gap,
    Method,
    Namespace,
    NodeKey,
    Text,
    key_of_node,
    text_of_parts,
    to_parts,
)
from octavo.v4.javascript.modules import Binding, exports_of
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.syntax import (
    FUNCTIONS,
    arguments,
    fragment,
    identifier,
    joined,
    key_of,
    member_path,
    named,
    parameters,
    returned,
    string_value,
    unwrap,
)
from octavo.v4.javascript.values import UNDEFINED

DEEPEST: Final = 60
MOST_STEPS: Final = 5_000
"""Maximum evaluations for one request. Requests of real front ends need some hundred."""
_MOST_STEPS_OF_ALL: Final = 1_000_000
_MOST_ITEMS: Final = 1_000
_LONGEST_NUMBER: Final = 100
_LONGEST_INDEX: Final = 10


class Evaluation:
    """Evaluates expressions. `open_functions` collects the functions whose arguments were needed and unknown."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.scopes = Scopes()
        self.open_functions: set[NodeKey] = set()
        self.read: set[NodeKey] = set()
        self._steps = self._depth = self._spent = 0

    @property
    def is_spent(self) -> bool:
        """Whether there were too many evaluations for one front end."""
        return self._spent > _MOST_STEPS_OF_ALL

    @property
    def is_cut(self) -> bool:
        """Whether the evaluation of this request reached its limit, so that results can be incomplete."""
        return self._steps > MOST_STEPS

    def begin(self) -> None:
        """Start the evaluation of another request."""
        self._spent += self._steps
        self._steps = self._depth = 0
        self.open_functions, self.read = set(), set()

    def value(self, node: Node, module: Module, frame: Frame) -> Any:
        """Return the value of an expression."""
        self._steps += 1
        self._depth += 1
        try:
            if self._steps > MOST_STEPS or self._depth > DEEPEST:
                return Gap()
            node = unwrap(node)
            handler = _EXPRESSIONS.get(node.type)
            return handler(self, node, module, frame) if handler is not None else Gap()
        finally:
            self._depth -= 1

    # Names.

    def name(self, node: Node, module: Module, frame: Frame) -> Any:
        """Return the value of a name, as declared in the nearest scope."""
        name, scope = identifier(module, node), node.parent
        if name == "undefined":
            return UNDEFINED
        while scope is not None:
            if scope.type in FUNCTIONS:
                value = self._parameter(name, Closure(module, scope, frame))
                if value is not MISSING:
                    return self._changed(value, name, node, scope, module, frame)
            elif (binding := self.scopes.declared(module, scope).get(name)) is not None:
                value = self._bound(binding, module, frame)
                return self._changed(value, name, node, scope, module, frame)
            scope = scope.parent
        return returned_client(name) or Gap(name)

    def _parameter(self, name: str, function: Closure) -> Any:
        given = function.frame.given.get(function.key)
        for index, pattern in enumerate(parameters(function.node)):
            value = Gap() if given is None else given[index] if index < len(given) else UNDEFINED
            if pattern.type == "rest_pattern":
                value = Gap() if given is None else list(given[index:])
            found = self._destructured(pattern, value, name, function)
            if found is not MISSING:
                if given is None:
                    self.open_functions.add(function.key)
                return found
        return MISSING

    def _destructured(self, pattern: Node, value: Any, name: str, function: Closure) -> Any:
        """Return the value of a name in a parameter, or MISSING."""
        match pattern.type:
            case "identifier" | "shorthand_property_identifier_pattern":
                if identifier(function.module, pattern) != name:
                    return MISSING
                return Gap(name) if value == Gap() else value
            case "assignment_pattern" | "object_assignment_pattern":
                left, right = named(pattern)[0], named(pattern)[-1]
                inner = self._destructured(left, value, name, function)
                if inner is not MISSING and (value is UNDEFINED or isinstance(value, Gap)):
                    return self._destructured(left, self._default(right, function), name, function)
                return inner
        for child, below in self._parts(pattern, value, function.module):
            inner = self._destructured(child, below, name, function)
            if inner is not MISSING:
                return inner
        return MISSING

    def _default(self, node: Node, function: Closure) -> Any:
        return self.value(node, function.module, function.frame)

    def _parts(self, pattern: Node, value: Any, module: Module) -> Iterator[tuple[Node, Any]]:
        """Yield the parts of a pattern, each with its value."""
        match pattern.type:
            case "object_pattern":
                yield from (self._taken(child, value, module) for child in named(pattern))
            case "array_pattern":
                yield from ((child, self.property(value, str(at))) for at, child in enumerate(named(pattern)))
            case "rest_pattern" | "required_parameter" | "optional_parameter":
                yield named(pattern)[0], value

    def _taken(self, child: Node, value: Any, module: Module) -> tuple[Node, Any]:
        """Return the pattern of an entry in an object pattern, and its value."""
        match child.type:
            case "pair_pattern":
                key, inner = child.child_by_field_name("key"), child.child_by_field_name("value")
                name = key_of(module, key) if key is not None else None
                return (inner or child), self.property(value, name) if name is not None else Gap()
            case "object_assignment_pattern":
                return child, self.property(value, identifier(module, named(child)[0]))
            case "shorthand_property_identifier_pattern":
                return child, self.property(value, identifier(module, child))
        return child, value

    def _bound(self, binding: Binding, module: Module, frame: Frame) -> Any:
        if binding.imported is not None:
            return self._imported(module, binding.imported.specifier, binding.imported.name, binding.name)
        if binding.value is None:
            return Gap(binding.name)
        if binding.value.type in FUNCTIONS:
            return Closure(module, binding.value, frame)
        value = self.value(binding.value, module, frame)
        path = taken_path(module, binding)
        for key in path:
            value = self.property(value, key)
        return Gap(binding.name) if value == Gap() else value

    def _imported(self, module: Module, specifier: str, wanted: str | None, local: str) -> Any:
        target = self.sources.resolve(module, specifier)
        if target is None:
            return returned_client(local, specifier) or Gap(wanted if wanted not in (None, "default") else local)
        return Namespace(target) if wanted is None else self.exported(target, wanted, local)

    def exported(self, module: Module, wanted: str, local: str = "", depth: int = 0) -> Any:
        """Return an export of a module."""
        exports = self.scopes.exports(module, exports_of)
        node = exports.names.get(wanted)
        if node is None and wanted == "default":
            node = exports.value
        if node is not None:
            value = self._declared_value(node, module, Frame())
            return Gap(local or wanted) if value == Gap() else value
        for again in exports.again if depth < 5 else ():
            if again.name in (None, wanted) and (target := self.sources.resolve(module, again.specifier)) is not None:
                value = self.exported(target, wanted, local, depth + 1)
                if not isinstance(value, Gap):
                    return value
        if exports.value is not None and wanted != "default":
            return self.property(self.value(exports.value, module, Frame()), wanted)
        return Gap(local or wanted)

    def _declared_value(self, node: Node, module: Module, frame: Frame) -> Any:
        if node.type in FUNCTIONS:
            return Closure(module, node, frame)
        if node.type == "variable_declarator":
            return Gap()
        return self.value(node, module, frame)

    def _changed(self, value: Any, name: str, use: Node, scope: Node, module: Module, frame: Frame) -> Any:
        """Apply the assignments to a name, and the calls that add to its value, that precede a use in the source."""
        for change in self.scopes.changes(module, name):
            if scope.start_byte <= change.start_byte and change.end_byte <= use.start_byte <= scope.end_byte:
                value = self._applied(value, change, module, frame)
        return value

    def _applied(self, value: Any, change: Node, module: Module, frame: Frame) -> Any:
        if change.type == "call_expression":
            return self._added(value, change, module, frame)
        left, right = change.child_by_field_name("left"), change.child_by_field_name("right")
        if left is None or right is None:
            return value
        path = member_path(module, left)[1:]
        if path and not isinstance(value, dict):
            return value
        new = self.value(right, module, frame)
        if not path:
            if change.type == "augmented_assignment_expression":
                return text_of_parts((*to_parts(value), *to_parts(new)))
            return value if isinstance(new, Gap) or new in ("", None) else new
        return with_entry(value, path, new)

    def _added(self, value: Any, call: Node, module: Module, frame: Frame) -> Any:
        """Apply `append`, `set` and `push`."""
        given = [self.value(one, module, frame) for one in arguments(call)]
        if isinstance(value, Address) and len(given) > 1:
            return Address(value.text, [*value.parameters, (given[0], given[1])])
        if isinstance(value, list) and given:
            return [*value, *given][:_MOST_ITEMS]
        return value

    # Properties and calls.

    def property(self, value: Any, key: str) -> Any:
        """Return a property of a value."""
        match value:
            case dict():
                return value.get(key, value if key in ("value", "current") else UNDEFINED)
            case list():
                return value[int(key)] if _is_index(key) and int(key) < len(value) else Gap(key)
            case Gap():
                return returned_client(key) or value.below(key)
            case Client():
                return Method(value, key)
            case Namespace():
                return self.exported(value.module, key)
            case Address():
                return value if key in ("searchParams", "href", "search", "value") else Gap(key)
            case str() | Text() if key == "value":
                return value
        return Gap(key)

    def call(self, closure: Closure, given: tuple[Any, ...]) -> Any:
        """Return what a function of the source returns: the first value that is known."""
        frame = closure.frame.called(closure, given)
        first = None
        for node in returned(closure.node):
            result = self.value(node, closure.module, frame)
            if result is not UNDEFINED and result is not None and not isinstance(result, Gap):
                return result
            first = result if first is None else first
        return Gap() if first is None or first is UNDEFINED else first


def with_entry(value: dict[str, Any], path: tuple[str, ...], new: Any) -> dict[str, Any]:
    """Return a copy of an object in which a nested entry is set."""
    inner = value.get(path[0])
    if len(path) > 1:
        new = with_entry(inner if isinstance(inner, dict) else {}, path[1:], new)
    return {**value, path[0]: new}


def _is_index(key: str) -> bool:
    return len(key) < _LONGEST_INDEX and key.isascii() and key.isdecimal()


def _string(_: Evaluation, node: Node, module: Module, __: Frame) -> Any:
    return string_value(module, node) or ""


def _number(_: Evaluation, node: Node, module: Module, __: Frame) -> Any:
    text = module.text(node).replace("_", "")
    if len(text) > _LONGEST_NUMBER:
        return Gap()
    try:
        return int(text, 0) if text[:2].lower() in ("0x", "0b", "0o") else float(text)
    except ValueError:
        return Gap()


def _template(evaluation: Evaluation, node: Node, module: Module, frame: Frame) -> Any:
    evaluation.read.add(key_of_node(module, node))
    parts: list[str | Gap] = []
    for child in named(node):
        if child.type == "template_substitution":
            parts += to_parts(evaluation.value(named(child)[0], module, frame)) if named(child) else ()
        else:
            parts.append(fragment(module, child))
    text = text_of_parts(tuple(parts))
    if isinstance(text, Text):
        return Text(tuple(joined(part) if isinstance(part, str) else part for part in text.parts))
    return joined(text) if isinstance(text, str) else text


def _literal(evaluation: Evaluation, node: Node, module: Module, frame: Frame) -> Any:
    evaluation.read.add(key_of_node(module, node))
    return _string(evaluation, node, module, frame)


def _object(evaluation: Evaluation, node: Node, module: Module, frame: Frame) -> Any:
    values: dict[str, Any] = {}
    for child in named(node):
        match child.type:
            case "spread_element":
                spread = evaluation.value(named(child)[0], module, frame)
                values |= spread if isinstance(spread, dict) else {}
            case "shorthand_property_identifier":
                values[identifier(module, child)] = evaluation.name(child, module, frame)
            case "pair":
                key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
                name = key_of(module, key) if key is not None else None
                if name is None and key is not None and key.type == "computed_property_name":
                    computed = evaluation.value(named(key)[0], module, frame)
                    name = computed if isinstance(computed, str) else None
                if name is not None and value is not None:
                    values[name] = evaluation.value(value, module, frame)
            case "method_definition":
                key = child.child_by_field_name("name")
                if key is not None and (name := key_of(module, key)) is not None:
                    values[name] = Closure(module, child, frame)
    return values


def _array(evaluation: Evaluation, node: Node, module: Module, frame: Frame) -> Any:
    items: list[Any] = []
    for child in named(node)[:_MOST_ITEMS]:
        if child.type == "spread_element":
            spread = evaluation.value(named(child)[0], module, frame)
            items += spread if isinstance(spread, list) else []
        else:
            items.append(evaluation.value(child, module, frame))
    return items


def _function(_: Evaluation, node: Node, module: Module, frame: Frame) -> Any:
    return Closure(module, node, frame)


def _name(evaluation: Evaluation, node: Node, module: Module, frame: Frame) -> Any:
    return evaluation.name(node, module, frame)


def _member(evaluation: Evaluation, node: Node, module: Module, frame: Frame) -> Any:
    below, name = node.child_by_field_name("object"), node.child_by_field_name("property")
    if below is None or name is None:
        return Gap()
    return evaluation.property(evaluation.value(below, module, frame), identifier(module, name))


def _subscript(evaluation: Evaluation, node: Node, module: Module, frame: Frame) -> Any:
    below, index = node.child_by_field_name("object"), node.child_by_field_name("index")
    if below is None or index is None:
        return Gap()
    value, key = evaluation.value(below, module, frame), evaluation.value(index, module, frame)
    if isinstance(key, float) and key.is_integer():
        key = str(int(key))
    return evaluation.property(value, key) if isinstance(key, str) else Gap()


def _binary(evaluation: Evaluation, node: Node, module: Module, frame: Frame) -> Any:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if left is None or right is None or operator is None:
        return Gap()
    first = evaluation.value(left, module, frame)
    if operator.type in ("||", "??"):
        if not isinstance(first, Gap) and is_truthy(first):
            return first
        second = evaluation.value(right, module, frame)
        return first if isinstance(first, Gap) and (isinstance(second, Gap) or not is_truthy(second)) else second
    if operator.type == "&&" and not isinstance(first, Gap) and not is_truthy(first):
        return first
    second = evaluation.value(right, module, frame)
    match operator.type:
        case "&&":
            return second
        case "+":
            is_number = all(isinstance(one, float | int) for one in (first, second))
            return first + second if is_number else text_of_parts((*to_parts(first), *to_parts(second)))
        case "===" | "==" | "!==" | "!=" if _is_plain(first) and _is_plain(second):
            return (first == second) == (operator.type[0] == "=")
    return Gap()


def _is_plain(value: Any) -> bool:
    return value is None or value is UNDEFINED or isinstance(value, str | int | float | bool)


def is_truthy(value: Any) -> bool:
    """Return the truth value. Objects and texts with gaps are true."""
    return value not in ("", 0, None, UNDEFINED, False) if _is_plain(value) else True


def _ternary(evaluation: Evaluation, node: Node, module: Module, frame: Frame) -> Any:
    """Choose a branch. If the condition is unknown, it is the first one that adds something."""
    condition, *branches = (node.child_by_field_name(name) for name in ("condition", "consequence", "alternative"))
    if condition is None or branches[0] is None or branches[1] is None:
        return Gap()
    decided = evaluation.value(condition, module, frame)
    if not isinstance(decided, Gap | Text | Closure):
        return evaluation.value(branches[0] if is_truthy(decided) else branches[1], module, frame)
    first = evaluation.value(branches[0], module, frame)
    if isinstance(first, Gap) or not is_truthy(first):
        second = evaluation.value(branches[1], module, frame)
        return second if is_truthy(second) and not isinstance(second, Gap) else first
    return first


def _unary(evaluation: Evaluation, node: Node, module: Module, frame: Frame) -> Any:
    operator, argument = node.child_by_field_name("operator"), node.child_by_field_name("argument")
    value = evaluation.value(argument, module, frame) if argument is not None else Gap()
    if isinstance(value, Gap | Text) or operator is None:
        return value if operator is not None and operator.type in ("+", "-") else Gap()
    if operator.type == "!":
        return not is_truthy(value)
    if operator.type == "-" and isinstance(value, int | float):
        return -value
    return value if operator.type == "+" else Gap()


def _call(evaluation: Evaluation, node: Node, module: Module, frame: Frame) -> Any:
    function = node.child_by_field_name("function") or node.child_by_field_name("constructor")
    if function is None:
        return Gap()
    last = (member_path(module, function) or ("",))[-1]
    template = node.child_by_field_name("arguments")
    if template is not None and template.type == "template_string":
        return _template(evaluation, template, module, frame) if last in ("gql", "graphql", "groq") else Gap()
    function = unwrap(function)
    callee = evaluation.value(function, module, frame)
    given = [evaluation.value(one, module, frame) for one in arguments(node)]
    if isinstance(callee, Closure):
        return evaluation.call(callee, tuple(given))
    if node.type == "new_expression":
        build = CONSTRUCTORS.get(last)
        return build(given) if build is not None else Gap(last)
    if last in CALLS and isinstance(callee, Gap):
        return CALLS[last](given)
    if last in UNWRAPPING and given:
        return evaluation.call(given[0], ()) if isinstance(given[0], Closure) and last == "computed" else given[0]
    if isinstance(callee, Method):
        return _call_method(callee, given)
    below = function.child_by_field_name("object") if function.type == "member_expression" else None
    name = function.child_by_field_name("property")
    if below is None or name is None:
        return returned_client(last) or Gap(last)
    receiver = evaluation.value(below, module, frame)
    called = METHODS.get(identifier(module, name))
    result = called(receiver, given) if called is not None else MISSING
    return Gap(last) if result is MISSING else result


def _call_method(method: Method, given: list[Any]) -> Any:
    """Return another client for `client.create({ baseURL })` and `client.collection('articles')`."""
    if method.name in ("create", "extend", "collection", "single") and given:
        if method.name in ("collection", "single"):
            return Client(method.client.base, method.client.is_strapi, given[0])
        return CALLS["create"](given)
    return Gap(method.name)


def _inner(evaluation: Evaluation, node: Node, module: Module, frame: Frame) -> Any:
    return evaluation.value(named(node)[0], module, frame) if named(node) else Gap()


def _this(_: Evaluation, __: Node, ___: Module, ____: Frame) -> Any:
    return Gap("this")


_EXPRESSIONS: dict[str, Callable[[Evaluation, Node, Module, Frame], Any]] = {
    "string": _literal,
    "template_string": _template,
    "number": _number,
    "true": lambda *_: True,
    "false": lambda *_: False,
    "null": lambda *_: None,
    "undefined": lambda *_: UNDEFINED,
    "object": _object,
    "array": _array,
    "identifier": _name,
    "shorthand_property_identifier": _name,
    "this": _this,
    "arrow_function": _function,
    "function_expression": _function,
    "function_declaration": _function,
    "method_definition": _function,
    "member_expression": _member,
    "subscript_expression": _subscript,
    "binary_expression": _binary,
    "ternary_expression": _ternary,
    "unary_expression": _unary,
    "call_expression": _call,
    "new_expression": _call,
    "await_expression": _inner,
}
