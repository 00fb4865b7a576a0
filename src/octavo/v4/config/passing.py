"""Pass on keys that Octavo has under the same name: those of upload and email providers."""

from collections.abc import Collection, Sequence
from typing import Any

from octavo.settings.findings import Finding, Outcome, redacted_value
from octavo.settings.model import TABLES
from octavo.settings.problems import SettingsProblem
from octavo.settings.sources import read_plain_table
from octavo.v4.config.matching import NOT_EVALUATED, Outcomes
from octavo.v4.config.rows import Row
from octavo.v4.config.tree import HoleFound, Node, Table, leaves, plain


def pass_on(tree: Node, tables: Collection[str], rows: Sequence[Row], outcomes: Outcomes) -> Node:
    """Read the keys below `tables` without a row as settings of the same name; return the tree without them."""
    if not isinstance(tree, Table):
        return tree
    own = {row.path for row in rows}
    for table in tables:
        plugin, config = table.split(".")
        outer = tree.members.get(plugin)
        inner = outer.members.get(config) if isinstance(outer, Table) else None
        if not isinstance(outer, Table) or not isinstance(inner, Table):
            continue
        kept = _pass_table(inner, (plugin, config), own, outcomes)
        others = {name: member for name, member in outer.members.items() if name != config}
        members = others | {config: kept} if kept.members or kept.rest else others
        tree = Table(
            {**tree.members, plugin: Table(members, outer.place, outer.rest)},
            tree.place,
            tree.rest,
        )
    return tree


def _pass_table(node: Table, path: tuple[str, ...], own: Collection[tuple[str, ...]], outcomes: Outcomes) -> Table:
    kept: dict[str, Node] = {}
    for name, member in node.members.items():
        inner = (*path, name)
        if inner in own:
            kept[name] = member
        elif isinstance(member, Table) and any(row[: len(inner)] == inner for row in own):
            kept[name] = _pass_table(member, inner, own, outcomes)
        else:
            for below, leaf in leaves(member):
                _pass_leaf(leaf, (*inner, *below), outcomes)
    return Table(
        {name: member for name, member in kept.items() if member != Table({}, member.place)}, node.place, node.rest
    )


def _pass_leaf(node: Node, path: tuple[str, ...], outcomes: Outcomes) -> None:
    place = node.place
    try:
        value: Any = plain(node)
    except HoleFound as found:
        place = found.hole.place
        message = f"{NOT_EVALUATED}: {found.hole.what}; set it in config/plugins.toml"
        _note(outcomes, Outcome.OPEN, path, place, message)
        return
    if value is None or isinstance(node, Table):
        return
    for name in reversed(path):
        value = {name: value}
    for given in read_plain_table(TABLES["plugins"], value, str(place)):
        if isinstance(given, SettingsProblem):
            is_unknown = given.message.startswith("unknown key")
            outcome = Outcome.IDLE if is_unknown else Outcome.OPEN
            advice = "" if is_unknown else "; set it in config/plugins.toml"
            _note(outcomes, outcome, path, place, f"{given.message}{advice}")
            continue
        outcomes.given.append(given)
        setting = ".".join((given.key.file, given.key.dotted, *given.inside))
        outcomes.findings.append(
            Finding(
                outcome=Outcome.TAKEN,
                file=place.file,
                line=place.line,
                key=".".join(path),
                setting=setting,
                value=redacted_value(given.key, given.value),
            )
        )


def _note(outcomes: Outcomes, outcome: Outcome, path: tuple[str, ...], place: Any, message: str) -> None:
    outcomes.findings.append(
        Finding(outcome=outcome, file=place.file, line=place.line, key=".".join(path), message=message)
    )
