"""Parse sort parameters: `author.name:desc,id`."""

from collections.abc import Iterator, Mapping
from typing import Any

from octavo.core.errors import ValidationError
from octavo.query.ast import Path, Sort

MAX_SORT_NAMES = 10
_DIRECTIONS = {"asc": False, "desc": True}


def read_sort(value: Any, path: Path) -> tuple[Sort, ...]:
    """Return the parsed `sort`: comma-separated texts, lists or objects. Raises ValidationError with the path."""
    sorts = tuple(dict.fromkeys(_sorts(value, path)))
    if any(len(sort.names) > MAX_SORT_NAMES for sort in sorts):
        raise ValidationError(f"Invalid sort: more than {MAX_SORT_NAMES} names in a path at {'.'.join(path)}")
    return sorts


def _sorts(value: Any, path: Path) -> Iterator[Sort]:
    if value is None:
        return
    if isinstance(value, str):
        for item in value.split(","):
            if item.strip():
                yield _read_sort_text(item.strip(), path)
    elif isinstance(value, list):
        for position, item in enumerate(value):
            yield from _sorts(item, (*path, str(position)))
    elif isinstance(value, dict):
        yield from _read_sort_object(value, (), path)
    else:
        raise ValidationError(f"Invalid sort: expected names at {'.'.join(path)}")


def _read_sort_text(text: str, path: Path) -> Sort:
    name, _, direction = text.partition(":")
    direction = direction.partition(":")[0]
    if not name or (":" in text and not direction):
        raise ValidationError(f"Invalid sort: expected name:asc or name:desc at {'.'.join(path)}")
    return Sort(names=tuple(name.strip().split(".")), descending=_direction(direction, path), direction=direction)


def _read_sort_object(value: Mapping[str, Any], names: tuple[str, ...], path: Path) -> Iterator[Sort]:
    for name, item in value.items():
        here = (*names, *name.split("."))
        if isinstance(item, dict):
            yield from _read_sort_object(item, here, (*path, name))
        elif isinstance(item, str):
            yield Sort(names=here, descending=_direction(item, (*path, name)), direction=item)
        else:
            raise ValidationError(f"Invalid sort: expected asc or desc at {'.'.join((*path, name))}")


def _direction(text: str, path: Path) -> bool:
    word = text.strip().lower()
    if word and word not in _DIRECTIONS:
        raise ValidationError(f"Invalid sort: the direction {text!r} at {'.'.join(path)} must be asc or desc")
    return _DIRECTIONS.get(word, False)
