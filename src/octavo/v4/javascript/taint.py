"""Mark values as unknown that code which is not understood may change."""

from tree_sitter import Node

from octavo.v4.javascript.context import Context, Scope, hide
from octavo.v4.javascript.syntax import identifier, member_path, walk
from octavo.v4.javascript.values import Hole, Items, Record, Value

READING = frozenset({"binary_expression", "template_substitution", "unary_expression", "parenthesized_expression"})
ASSIGNING = frozenset({"assignment_expression", "augmented_assignment_expression", "update_expression"})


def taint(context: Context, node: Node, scope: Scope, hole: Hole) -> None:
    """Replace every variable that `node` assigns to by a hole, and what it may change of the objects that it uses.

    An assignment to one property, such as `config.a.b = x`, affects that property only; a name that is only compared is
    not affected; any other use may change the whole object.
    """
    spared = set()
    for descendant in walk(node):
        context.spend(descendant, scope)
        target = descendant.child_by_field_name("left") or descendant.child_by_field_name("argument")
        if target is not None and descendant.type in ASSIGNING and _taint_target(target, scope, hole):
            spared |= {one.id for one in walk(target) if one.type == "identifier"}
    for descendant in walk(node):
        if (
            descendant.type not in ("identifier", "shorthand_property_identifier")
            or descendant.id in spared
            or _is_read(descendant)
        ):
            continue
        name = identifier(scope.module, descendant)
        if (owner := scope.owner(name)) is not None:
            hide(owner.names[name].data, hole)


def _is_read(node: Node) -> bool:
    """Return whether a name, or a property of it, is only compared or printed."""
    parent = node.parent
    while parent is not None and parent.type in ("member_expression", "subscript_expression"):
        parent = parent.parent
    return parent is not None and parent.type in READING


def _taint_target(target: Node, scope: Scope, hole: Hole) -> bool:
    """Replace the target of an assignment by a hole; return False if the target is unknown."""
    path = member_path(scope.module, target)
    owner = scope.owner(path[0]) if path else None
    if owner is None:
        return False
    if len(path) == 1:
        owner.names[path[0]] = Value(hole, owner.names[path[0]].place)
        return True
    value = owner.names[path[0]].at(*path[1:-1])
    if isinstance(value.data, Record):
        value.data[path[-1]] = Value(hole, hole.place)
        return True
    if isinstance(value.data, Items):
        hide(value.data, hole)
    return False


def taint_acts(context: Context, nodes: list[Node], scope: Scope, hole: Hole) -> None:
    """Do the same for expressions that may not be evaluated, if they have side effects."""
    for node in nodes:
        if any(descendant.type in ASSIGNING or descendant.type == "call_expression" for descendant in walk(node)):
            taint(context, node, scope, hole)
