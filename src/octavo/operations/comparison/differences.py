"""The differences of two responses, by JSON path."""

import hashlib
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import orjson

from octavo.core.values import dataclass
from octavo.operations.comparison.masks import Masks, Path, shape_of, text_of
from octavo.operations.comparison.sending import Answer

MOST: Final = 50
"""Maximum differences of one response."""
_DEEPEST: Final = 200
_TYPES: Final = {bool: "boolean", int: "number", float: "number", str: "string", list: "array", dict: "object"}


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference. `kind` is `status`, `content type`, `location`, `failure`, `body`, `missing`, `added`, `type`,
    `length`, `order` or `value`. `old` and `new` are JSON values."""

    kind: str
    path: Path
    old: Any
    new: Any

    @property
    def shape(self) -> str:
        return shape_of(self.path)

    @property
    def place(self) -> str:
        return text_of(self.path)


def compare(old: Answer, new: Answer, masks: Masks) -> list[Difference]:
    """Return the first differences of two responses."""
    if old.failure or new.failure:
        both = bool(old.failure) == bool(new.failure)
        return [] if both else [Difference("failure", (), _outcome(old), _outcome(new))]
    if old.status != new.status:
        return [Difference("status", (), old.status, new.status)]
    differences = []
    if masks.text(old.location) != masks.text(new.location):
        differences.append(Difference("location", (), old.location, new.location))
    if old.media_type != new.media_type and (old.body or new.body):
        return [*differences, Difference("content type", (), old.media_type, new.media_type)]
    return [*differences, *_compare_bodies(old, new, masks)][:MOST]


def _outcome(answer: Answer) -> str:
    return answer.failure or f"status {answer.status}"


def _compare_bodies(old: Answer, new: Answer, masks: Masks) -> list[Difference]:
    if old.body == new.body:
        return []
    values = old.json(), new.json()
    if values[0] and values[1] and not _is_deep([*values[0], *values[1]]):
        return list(compare_json(masks.value(values[0][0]), masks.value(values[1][0])))
    texts = old.text(), new.text()
    if texts[0] is not None and texts[1] is not None and masks.text(texts[0]) == masks.text(texts[1]):
        return []
    return [Difference("body", (), _described(old), _described(new))]


def _described(answer: Answer) -> str:
    return f"{len(answer.body)} bytes, SHA-256 {hashlib.sha256(answer.body).hexdigest()[:12]}"


def _is_deep(value: Any) -> bool:
    level, depth = [value], 0
    while level and depth <= _DEEPEST:
        level = [
            item
            for one in level
            if isinstance(one, dict | list)
            for item in (one.values() if isinstance(one, dict) else one)
        ]
        depth += 1
    return depth > _DEEPEST


def compare_json(old: Any, new: Any, path: Path = ()) -> Iterator[Difference]:
    """Yield the differences of two masked JSON values."""
    kinds = _TYPES.get(type(old), "null"), _TYPES.get(type(new), "null")
    if kinds[0] != kinds[1]:
        yield Difference("type", path, old, new)
    elif isinstance(old, dict):
        yield from _compare_objects(old, new, path)
    elif isinstance(old, list):
        yield from _compare_arrays(old, new, path)
    elif old != new:
        yield Difference("value", path, old, new)


def _compare_objects(old: dict[str, Any], new: dict[str, Any], path: Path) -> Iterator[Difference]:
    for key, value in old.items():
        if key in new:
            yield from compare_json(value, new[key], (*path, key))
        else:
            yield Difference("missing", (*path, key), value, None)
    for key in new.keys() - old.keys():
        yield Difference("added", (*path, key), None, new[key])


def _compare_arrays(old: list[Any], new: list[Any], path: Path) -> Iterator[Difference]:
    if len(old) != len(new):
        yield Difference("length", path, len(old), len(new))
    elif old != new and Counter(map(_canonical, old)) == Counter(map(_canonical, new)):
        yield Difference("order", path, old, new)
    else:
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from compare_json(one, other, (*path, index))


def _canonical(value: Any) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
