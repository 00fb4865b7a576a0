"""Bind names to values: declarations, parameters, destructuring; and assignments to names and properties."""

from tree_sitter import Node

from octavo.v4.javascript.context import Context, Holed, Scope, need
from octavo.v4.javascript.members import key_text, member
from octavo.v4.javascript.semantics import Unknown
from octavo.v4.javascript.syntax import identifier, key_of, named, unwrap
from octavo.v4.javascript.values import UNDEFINED, Items, Native, Record, Value


def bind(context: Context, pattern: Node, value: Value, scope: Scope) -> None:
    """Declare the names of a pattern in `scope`. Parts that cannot be read from the value become holes."""
    context.spend(pattern, scope)
    match pattern.type:
        case "identifier" | "shorthand_property_identifier_pattern":
            scope.names[identifier(scope.module, pattern)] = value
        case "object_pattern":
            _bind_object(context, pattern, value, scope)
        case "array_pattern":
            for index, child in enumerate(named(pattern)):
                if child.type == "rest_pattern":
                    rest = Items(value.data[index:]) if isinstance(value.data, Items) else None
                    bound = context.hole(child, scope, "the rest of the value is unknown") if rest is None else value
                    bind(context, named(child)[0], Value(rest or bound.data, value.place, value.variables), scope)
                else:
                    bind(context, child, taken(context, value, str(index), child, scope), scope)
        case "assignment_pattern" | "object_assignment_pattern":
            left, right = named(pattern)[0], named(pattern)[-1]
            if value.is_undefined:
                default = context.evaluate(right, scope)
                value = Value(default.data, default.place, (*value.with_fallback(), *default.variables))
            bind(context, left, value, scope)
        case "rest_pattern":
            bind(context, named(pattern)[0], value, scope)
        case _:
            raise Unknown("unsupported destructuring pattern")


def _bind_object(context: Context, pattern: Node, value: Value, scope: Scope) -> None:
    used: list[str] = []
    for child in named(pattern):
        if child.type == "rest_pattern":
            bind(context, named(child)[0], _without(context, value, used, child, scope), scope)
            continue
        key, target = child, child
        if child.type == "pair_pattern":
            key, target = named(child)[0], named(child)[-1]
        elif child.type == "object_assignment_pattern":
            key = named(child)[0]
        name = _pattern_key(context, key, scope)
        used.append(name)
        bind(context, target, taken(context, value, name, child, scope), scope)


def _pattern_key(context: Context, key: Node, scope: Scope) -> str:
    name = key_of(scope.module, key)
    return name if name is not None else key_text(context.evaluate(named(key)[0], scope))


def _without(context: Context, value: Value, keys: list[str], node: Node, scope: Scope) -> Value:
    if not isinstance(value.data, Record):
        return context.hole(node, scope, "the rest of the value is unknown")
    left = Record(((key, one) for key, one in value.data.items() if key not in keys), value.data.rest)
    return Value(left, value.place, value.variables)


def taken(context: Context, value: Value, key: str, node: Node, scope: Scope) -> Value:
    """Return a property for destructuring: a hole instead of an exception."""
    try:
        return member(context, value, key, node, scope)
    except Holed as held:
        return Value(held.hole, value.place)
    except Unknown as unknown:
        return context.hole(node, scope, str(unknown))


def store(context: Context, target: Node, value: Value, scope: Scope) -> None:
    """Assign to a name or a property. Raises `Unknown` or `Holed` if the target is unknown."""
    target = unwrap(target)
    match target.type:
        case "identifier":
            name = identifier(scope.module, target)
            owner = scope.owner(name)
            if owner is None:
                raise Unknown("assignment to an undeclared variable")
            owner.names[name] = value
        case "member_expression" | "subscript_expression":
            below, key = _target(context, target, scope)
            data = need(below)
            if isinstance(data, Record):
                data[key] = value
            elif isinstance(data, Items) and key.isdigit() and int(key) <= len(data) and data.rest is None:
                data[int(key) :] = [value, *data[int(key) + 1 :]]
            elif isinstance(data, Native) and data.name == "process.env" and isinstance(value.data, str):
                context.variables[key] = value.data
            else:
                raise Unknown("unknown assignment target")
        case "object_pattern" | "array_pattern":
            raise Unknown("unsupported destructuring pattern")


def _target(context: Context, target: Node, scope: Scope) -> tuple[Value, str]:
    below = target.child_by_field_name("object")
    key = target.child_by_field_name("property") or target.child_by_field_name("index")
    if below is None or key is None:
        raise Unknown("unknown assignment target")
    name = (
        identifier(scope.module, key) if target.type == "member_expression" else key_text(context.evaluate(key, scope))
    )
    return context.evaluate(below, scope), name


def remove(context: Context, target: Node, scope: Scope) -> None:
    """Evaluate `delete a.b`."""
    below, key = _target(context, unwrap(target), scope)
    data = need(below)
    if not isinstance(data, Record):
        raise Unknown("unknown `delete` target")
    data.pop(key, None)
    if data.rest is not None:
        data[key] = Value(UNDEFINED, below.place)
