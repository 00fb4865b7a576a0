"""Normalize the alternative forms that v4 allows in its configuration."""

from collections.abc import Iterator

from octavo.v4.config.tree import Hole, Items, Leaf, Node, Place, Table


def plugins(tree: Node) -> Node:
    """Replace `graphql: false` by `graphql: { enabled: false }`."""
    if not isinstance(tree, Table):
        return tree
    members = {
        name: Table({"enabled": node}, node.place) if isinstance(node, Leaf) else node
        for name, node in tree.members.items()
    }
    return Table(members, tree.place, tree.rest)


def database(tree: Node) -> Node:
    """Replace a connection string by a table with it."""
    if not isinstance(tree, Table):
        return tree
    outer = tree.members.get("connection")
    inner = outer.members.get("connection") if isinstance(outer, Table) else None
    if not isinstance(outer, Table) or not isinstance(inner, Leaf):
        return tree
    address = Table({"connectionString": inner}, inner.place)
    return Table(
        {**tree.members, "connection": Table({**outer.members, "connection": address}, outer.place)}, tree.place
    )


def middlewares(tree: Node) -> Node:
    """Convert the list to a table: the options of each middleware by its name; without a name, by a number."""
    if isinstance(tree, Leaf):
        return Hole("it is not a list of middlewares", tree.place)
    if not isinstance(tree, Items):
        return tree
    members: dict[str, Node] = {}
    for number, item in enumerate(tree.items):
        name, node = _middleware(item, number)
        members[name] = node
    return Table(members, tree.place, tree.rest)


def _middleware(item: Node, number: int) -> tuple[str, Node]:
    match item:
        case Leaf(value=str() as name, place=place):
            return name, Table({}, place)
        case Table(members=members, place=place):
            named = members.get("name") or members.get("resolve")
            name = named.value if isinstance(named, Leaf) and isinstance(named.value, str) else f"[{number}]"
            return name, members.get("config", Table({}, place))
        case _:
            return f"[{number}]", item


def own_code(tree: Node) -> Iterator[tuple[str, Place]]:
    """Yield the names of middlewares that are project code, or unknown, with their locations."""
    for name, node in tree.members.items() if isinstance(tree, Table) else ():
        if not name.startswith("strapi::"):
            yield name, node.place
