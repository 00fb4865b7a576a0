"""Focal points: the part of an image that must stay visible when it is cropped.

They are stored in `provider_metadata`, next to the storage's own data. v4 has that column and leaves it unchanged, so a
project that returns to v4 keeps them.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from octavo.core.values import dataclass

METADATA: Final = "provider_metadata"
FOCAL_POINT: Final = "focalPoint"


@dataclass(frozen=True, slots=True)
class FocalPoint:
    """A position in an image, as fractions of its width and height from the top left: 0 to 1."""

    x: float
    y: float


def with_focal_point(file: Mapping[str, Any], point: FocalPoint | None) -> dict[str, Any] | None:
    """Return a file's metadata with this focal point, or without one; None if it is empty."""
    others = {name: value for name, value in _metadata(file).items() if name != FOCAL_POINT}
    return {**others, **({} if point is None else {FOCAL_POINT: asdict(point)})} or None


def keeping_focal_point(file: Mapping[str, Any], changed: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return changes to a file; if they include the metadata, its focal point stays."""
    point = _metadata(file).get(FOCAL_POINT)
    if point is None or METADATA not in changed:
        return changed
    return {**changed, METADATA: {**_metadata(changed), FOCAL_POINT: point}}


def _metadata(file: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = file.get(METADATA)
    return metadata if isinstance(metadata, Mapping) else {}
