"""ThumbHash: describe a picture in about 25 bytes, which clients draw as a blurred placeholder.

After Evan Wallace's reference implementation (https://evanw.github.io/thumbhash, MIT license): the lowest frequencies
of luminance, two color channels and opacity, each coefficient in four bits.
"""

from collections.abc import Sequence
from math import cos, floor, pi
from typing import Final

from octavo.core.values import dataclass

_OPAQUE_TERMS: Final = 7
"""The most terms of the luminance in each direction."""
_TRANSPARENT_TERMS: Final = 5
_NOISE: Final = 1e-9
"""The scale below which the terms of an even channel are only rounding errors."""


@dataclass(frozen=True, slots=True)
class _Channel:
    """The mean of a channel, its other coefficients from 0 to 1, and their scale."""

    mean: float
    terms: Sequence[float]
    scale: float


def thumbhash(width: int, height: int, pixels: bytes) -> bytes:
    """Return the ThumbHash of a picture of at most 100 x 100 pixels, given as RGBA."""
    count = width * height
    opacity = [value / 255 for value in pixels[3::4]]
    visible = sum(opacity)
    colors = [_over_mean(pixels[start::4], opacity, visible) for start in range(3)]
    is_transparent = visible < count
    most = _TRANSPARENT_TERMS if is_transparent else _OPAQUE_TERMS
    across, down = (max(1, _round(most * side / max(width, height))) for side in (width, height))
    luminance = [(red + green + blue) / 3 for red, green, blue in zip(*colors, strict=True)]
    yellow_blue = [(red + green) / 2 - blue for red, green, blue in zip(*colors, strict=True)]
    red_green = [red - green for red, green, _ in zip(*colors, strict=True)]
    light = _encode(luminance, width, height, max(3, across), max(3, down))
    yellow, red = (_encode(channel, width, height, 3, 3) for channel in (yellow_blue, red_green))
    is_wide = width > height
    first = (
        _round(63 * light.mean)
        | _round(31.5 + 31.5 * yellow.mean) << 6
        | _round(31.5 + 31.5 * red.mean) << 12
        | _round(31 * light.scale) << 18
        | is_transparent << 23
    )
    second = (
        (down if is_wide else across) | _round(63 * yellow.scale) << 3 | _round(63 * red.scale) << 9 | is_wide << 15
    )
    head = first.to_bytes(3, "little") + second.to_bytes(2, "little")
    if not is_transparent:
        return head + _packed([*light.terms, *yellow.terms, *red.terms])
    alpha = _encode(opacity, width, height, 5, 5)
    head += bytes([_round(15 * alpha.mean) | _round(15 * alpha.scale) << 4])
    return head + _packed([*light.terms, *yellow.terms, *red.terms, *alpha.terms])


def _over_mean(channel: bytes, opacity: Sequence[float], visible: float) -> list[float]:
    """Return a color channel from 0 to 1, on a background of its mean."""
    shown = [alpha / 255 * value for alpha, value in zip(opacity, channel, strict=True)]
    mean = sum(shown) / visible if visible else 0.0
    return [mean * (1 - alpha) + value for alpha, value in zip(opacity, shown, strict=True)]


def _encode(channel: Sequence[float], width: int, height: int, across: int, down: int) -> _Channel:
    """Return the lowest terms of the cosine transform of a channel."""
    columns = _waves(width, across)
    rows = _waves(height, down)
    lines = [channel[start : start + width] for start in range(0, width * height, width)]
    by_column = [[sum(map(float.__mul__, line, wave)) for line in lines] for wave in columns]
    terms = [
        sum(map(float.__mul__, by_column[x], rows[y])) / (width * height)
        for y in range(down)
        for x in range(across)
        if x * down < across * (down - y)
    ]
    mean, others = terms[0], terms[1:]
    scale = max(map(abs, others), default=0.0)
    if scale < _NOISE:
        return _Channel(mean, [0.0] * len(others), 0.0)
    return _Channel(mean, [0.5 + 0.5 / scale * term for term in others], scale)


def _waves(length: int, count: int) -> list[list[float]]:
    return [[cos(pi / length * number * (place + 0.5)) for place in range(length)] for number in range(count)]


def _packed(terms: Sequence[float]) -> bytes:
    """Return coefficients from 0 to 1 in four bits each, the first in the lower half of a byte."""
    numbers = [*(_round(15 * term) for term in terms), 0]
    return bytes(low | high << 4 for low, high in zip(numbers[::2], numbers[1::2], strict=False))


def _round(number: float) -> int:
    """Round half up, as in JavaScript."""
    return floor(number + 0.5)
