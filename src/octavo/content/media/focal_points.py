"""Focal points: what of an image has to be seen wherever it is cut to another shape.

They are kept in `provider_metadata`, beside what a storage keeps there: v4 has a column for it, shows it to everybody,
and leaves it alone, so a project that goes back to v4 keeps them.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from octavo.core.values import dataclass

METADATA: Final = "provider_metadata"
FOCAL_POINT: Final = "focalPoint"


@dataclass(frozen=True, slots=True)
class FocalPoint:
    """A place in an image, in fractions of its width from the left and of its height from the top: 0 to 1."""

    x: float
    y: float


def with_focal_point(file: Mapping[str, Any], point: FocalPoint | None) -> dict[str, Any] | None:
    """The metadata of a file with this focal point, or with none; None where there is nothing else."""
    others = {name: value for name, value in _metadata(file).items() if name != FOCAL_POINT}
    return {**others, **({} if point is None else {FOCAL_POINT: asdict(point)})} or None


def keeping_focal_point(file: Mapping[str, Any], changed: Mapping[str, Any]) -> Mapping[str, Any]:
    """What changes of a file, with its focal point where the metadata is among that."""
    point = _metadata(file).get(FOCAL_POINT)
    if point is None or METADATA not in changed:
        return changed
    return {**changed, METADATA: {**_metadata(changed), FOCAL_POINT: point}}


def _metadata(file: Mapping[str, Any]) -> Mapping[str, Any]:
    found = file.get(METADATA)
    return found if isinstance(found, Mapping) else {}
