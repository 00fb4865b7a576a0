"""Parse populate parameters: `*`, comma lists, dotted paths, arrays, objects with `fields`, `filters`, `on`."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from octavo.core.errors import ValidationError
from octavo.query.ast import EVERYTHING, Branch, Path, Populate, Query
from octavo.query.filters import read_flag

ReadQuery = Callable[[Mapping[str, Any], Path], Query]
MAX_LEVELS = 20


def merge(populates: Iterable[Populate]) -> tuple[Populate, ...]:
    """Return one Populate for each name, merging their nested ones (`author` and `author.profile`)."""
    merged: dict[str, Populate] = {}
    for item in populates:
        known = merged.get(item.name)
        if known is not None:
            query = replace(
                known.query,
                populate=merge((*known.query.populate, *item.query.populate)),
                populate_all=known.query.populate_all or item.query.populate_all,
            )
            item = replace(known, query=query, fault=known.fault or item.fault)
        merged[item.name] = item
    return tuple(merged.values())


def read_populate(value: Any, path: Path, read_query: ReadQuery) -> tuple[tuple[Populate, ...], bool]:
    """Return the parsed populates, and whether everything is populated. `read_query` parses one nested level.

    Raises ValidationError for invalid syntax.
    """
    if value is None or value == "":
        return (), False
    if isinstance(value, str):
        return _read_names(value.split(","), path)
    if isinstance(value, list):
        return _read_list(value, path, read_query)
    if isinstance(value, dict):
        return _read_object(value, path, read_query), False
    raise ValidationError(f"Invalid populate: expected names at {'.'.join(path)}")


def _read_list(value: list[Any], path: Path, read_query: ReadQuery) -> tuple[tuple[Populate, ...], bool]:
    names: list[str] = []
    populated: tuple[Populate, ...] = ()
    for position, item in enumerate(value):
        if isinstance(item, str):
            names += item.split(",")
        elif isinstance(item, dict):
            populated += _read_object(item, (*path, str(position)), read_query)
        else:
            raise ValidationError(f"Invalid populate: expected a name at {'.'.join((*path, str(position)))}")
    listed, everything = _read_names(names, path)
    return merge((*populated, *listed)), everything


def _read_names(names: Iterable[str], path: Path) -> tuple[tuple[Populate, ...], bool]:
    wanted = [name.strip() for name in names]
    dotted = tuple(_dotted(_names(name, path), path) for name in wanted if name and name != "*")
    return merge(dotted), "*" in wanted


def _names(dotted: str, path: Path) -> list[str]:
    names = dotted.split(".")
    if len(names) > MAX_LEVELS:
        raise too_deep(path)
    return names


def too_deep(path: Path) -> ValidationError:
    """Return the error for too many nested levels: each of them may multiply the work."""
    return ValidationError(f"Invalid populate: more than {MAX_LEVELS} levels at {'.'.join(path)}")


def levels(query: Query) -> int:
    """Return how many levels deep a query populates."""
    below = [levels(item.query) for item in query.populate]
    branches = [levels(branch.query) for item in query.populate for branch in item.branches or ()]
    return 1 + max(below + branches) if below else 0


def _dotted(names: list[str], path: Path) -> Populate:
    first, *rest = names
    if not rest or rest == ["*"]:
        return Populate(name=first, query=EVERYTHING, path=(*path, first))
    return Populate(name=first, query=Query(populate=(_dotted(rest, (*path, first)),)), path=(*path, first))


def _read_object(value: Mapping[str, Any], path: Path, read_query: ReadQuery) -> tuple[Populate, ...]:
    populated = []
    for name, item in value.items():
        here = (*path, name)
        if isinstance(item, dict):
            populated.append(_read_nested(name, item, here, read_query))
        elif isinstance(item, list):
            fault = f"Invalid populate: expected an object at {'.'.join(here)}"
            populated.append(Populate(name=name, query=EVERYTHING, fault=fault, path=here))
        elif read_flag(item, here):
            populated.append(_with_query(_names(name, here), EVERYTHING, here))
    return merge(populated)


def _with_query(names: list[str], query: Query, path: Path) -> Populate:
    first, *rest = names
    return Populate(
        name=first, query=query if not rest else Query(populate=(_with_query(rest, query, path),)), path=path
    )


def _read_nested(name: str, value: Mapping[str, Any], path: Path, read_query: ReadQuery) -> Populate:
    branches = _read_branches(value.get("on"), (*path, "on"), read_query)
    count = "count" in value and read_flag(value["count"], (*path, "count"))
    return Populate(name=name, query=read_query(value, path), count=count, branches=branches, path=path)


def _read_branches(value: Any, path: Path, read_query: ReadQuery) -> tuple[Branch, ...] | None:
    if value is None:
        return None
    if isinstance(value, str):
        return ()  # a text does not name a component (observed)
    if isinstance(value, list):
        value = {str(index): item for index, item in enumerate(value)}  # the keys of a list, as v4 (observed)
    if not isinstance(value, dict):
        raise ValidationError(f"Invalid populate: expected components at {'.'.join(path)}")
    branches = []
    for component, item in value.items():
        here = (*path, component)
        if isinstance(item, dict):
            branches.append(Branch(component=component, query=read_query(item, here)))
        else:  # any other value selects the component (observed)
            branches.append(Branch(component=component, query=EVERYTHING))
    return tuple(branches)
