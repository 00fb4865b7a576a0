"""Read the transformation in the URL of an uploaded file: a preset, listed sizes, or signed parameters.

Anything else would let callers fill the disk. Parameters that are not allowed are ignored or refused, by the rule
`imageParameters`; a wrong signature is always refused.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import parse_qsl

from octavo.content.media.focal_points import FocalPoint
from octavo.content.media.private_files import SIGNATURE, check_signature
from octavo.content.media.transformations import ImageFormat, Transformation
from octavo.core.errors import Problem, ValidationError
from octavo.core.values import dataclass

PRESET, DENSITY, VERSION = "preset", "dpr", "v"
MOST_DENSITY: Final = 3
_LISTED: Final = frozenset(("width", "height", "fit", "format"))
"""The parameters that need no signature if `images.sizes` is set. Their values are few."""
_MAX_SIDE: Final = 4096
_WITHOUT_SIZES: Final = (
    "not available in URLs. Define a preset in `images.presets` of api.toml, list sizes in `images.sizes`, or sign the "
    "URL with `images.secret`"
)
_PRIVATE: Final = f"{SIGNATURE}: required, because the file is private. Sign the URL with `images.secret`"
_WITHOUT_SIGNATURE: Final = "only available in signed URLs. Set `images.secret` in api.toml and sign the URL"


@dataclass(frozen=True, slots=True)
class ImageOptions:
    """The presets by name; the formats for `auto`, best first; the lifetime in caches of URLs without a version;
    whether requests with parameters that are not allowed are rejected; the widths and heights that need no signature;
    the secret of signatures."""

    presets: Mapping[str, Transformation]
    auto_formats: Sequence[ImageFormat] = ("webp",)
    max_age: int = 0
    refuses: bool = False
    sizes: Sequence[int] = ()
    secret: str | None = None


def read_transformation(
    path: str, query: str, options: ImageOptions, now: float, *, is_private: bool = False
) -> Transformation | None:
    """Return the requested transformation, or None for the original.

    `now` is in seconds since 1970. `is_private`: everything needs a signature that expires. Raises ForbiddenError for a
    wrong or expired signature, and ValidationError.
    """
    given = dict(parse_qsl(query, keep_blank_values=True))
    is_signed = options.secret is not None and SIGNATURE in given
    if options.secret is not None and is_signed:
        check_signature(path, query, given, options.secret, now, is_private=is_private)
    reading = _Reading(given, options, is_signed=is_signed)
    wanted = reading.transformation()
    if wanted is not None and is_private and not is_signed:
        reading.problems.append(Problem((SIGNATURE,), _PRIVATE))
        wanted = None
    if reading.problems and (options.refuses or is_signed):
        raise ValidationError.from_problems(reading.problems)
    return wanted


class _Reading:
    """Reads the parameters and collects problems."""

    def __init__(self, given: Mapping[str, str], options: ImageOptions, *, is_signed: bool) -> None:
        self._given = given
        self._options = options
        self._is_signed = is_signed
        self.problems: list[Problem] = []

    def transformation(self) -> Transformation | None:
        """Return the transformation, or None if there is none or it is not allowed."""
        base = self._preset() if PRESET in self._given else self._free()
        density = self._density()
        return None if base is None else base.times(density)

    def _preset(self) -> Transformation | None:
        presets = self._options.presets
        preset = presets.get(self._given[PRESET])
        if preset is None:
            known = ", ".join(sorted(presets)) or "none"
            self._add(PRESET, f"unknown preset. Set it in `images.presets` of api.toml. Presets: {known}")
        for name in sorted(_PARSERS.keys() & self._given.keys()):
            self._add(name, f"cannot be combined with `{PRESET}`")
        return preset

    def _free(self) -> Transformation | None:
        names = sorted(_PARSERS.keys() & self._given.keys())
        values = dict(self._values(names))
        if DENSITY in self._given and not names:
            self._add(DENSITY, f"only available together with `{PRESET}`, `width` or `height`")
        return Transformation(**values) if names and not self.problems else None

    def _values(self, names: Sequence[str]) -> Iterator[tuple[str, Any]]:
        for name in names:
            if not self._is_signed and not self._options.sizes:
                self._add(name, _WITHOUT_SIZES)
            elif not self._is_signed and name not in _LISTED:
                self._add(name, _WITHOUT_SIGNATURE)
            else:
                try:
                    yield name, self._value(name)
                except ValueError as error:
                    self._add(name, str(error))

    def _value(self, name: str) -> Any:
        value = _PARSERS[name](self._given[name])
        if name in ("width", "height") and not self._is_signed and value not in self._options.sizes:
            raise ValueError(f"expected one of `images.sizes` in api.toml: {', '.join(map(str, self._options.sizes))}")
        return value

    def _density(self) -> int:
        text = self._given.get(DENSITY, "1")
        if text in map(str, range(1, MOST_DENSITY + 1)):
            return int(text)
        self._add(DENSITY, f"expected a whole number from 1 to {MOST_DENSITY}")
        return 1

    def _add(self, name: str, message: str) -> None:
        self.problems.append(Problem((name,), f"{name}: {message}"))


def _number(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,6}", text) or not least <= int(text) <= most:
            raise ValueError(f"expected a whole number from {least} to {most}")
        return int(text)

    return read


def _choice(*choices: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in choices:
            raise ValueError(f"expected one of {', '.join(choices)}")
        return text

    return read


def _focus(text: str) -> FocalPoint | None:
    """Parse a focal point; None stands for the file's own."""
    if text == "auto":
        return None
    match = re.fullmatch(r"(0|1|0?\.\d{1,4}),(0|1|0?\.\d{1,4})", text, re.ASCII)
    if match is None:
        raise ValueError("expected `auto`, or two numbers from 0 to 1 such as `0.5,0.25`")
    return FocalPoint(float(match[1]), float(match[2]))


def _crop(text: str) -> tuple[int, int, int, int]:
    match = re.fullmatch(r"(\d{1,6}),(\d{1,6}),([1-9]\d{0,5}),([1-9]\d{0,5})", text, re.ASCII)
    if match is None:
        raise ValueError("expected left, top, width and height in pixels, such as `0,0,400,300`")
    left, top, width, height = map(int, match.groups())
    return left, top, width, height


_PARSERS: Final[Mapping[str, Callable[[str], Any]]] = {
    "width": _number(1, _MAX_SIDE),
    "height": _number(1, _MAX_SIDE),
    "fit": _choice("cover", "contain", "inside"),
    "format": _choice("auto", "avif", "webp", "jpeg", "png"),
    "quality": _number(1, 100),
    "focus": _focus,
    "crop": _crop,
    "blur": _number(0, 100),
}
