"""`api.toml`, the table `images`: transformations of images on request."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from octavo.core.values import dataclass
from octavo.settings.keys import setting
from octavo.settings.values import FREE_TABLE, SIZE, Kind, Misplaced, optional, quoted

FITS: Final = ("cover", "contain", "inside")
IMAGE_FORMATS: Final = ("auto", "avif", "webp", "jpeg", "png")
MAX_SIDE: Final = 4096
"""The maximum width and height of a preset, in pixels."""

_MOST_SIZES: Final = 32
_LEAST_SECRET: Final = 32
_DEFAULTS: Final[Mapping[str, Any]] = {
    "width": None,
    "height": None,
    "fit": "cover",
    "format": "auto",
    "quality": 75,
    "blur": 0,
    "enlarge": False,
}
_NUMBERS: Final = {"width": (1, MAX_SIDE), "height": (1, MAX_SIDE), "quality": (1, 100), "blur": (0, 100)}
_CHOICES: Final = {"fit": FITS, "format": IMAGE_FORMATS}


def _read_presets(value: Any) -> Mapping[str, Mapping[str, Any]]:
    """Parse presets by name; each gets all keys. Raises Misplaced, ValueError."""
    if not isinstance(value, Mapping):
        raise ValueError
    wrong = [*_wrong_presets(value)]
    if wrong:
        raise Misplaced(wrong)
    return {name: {**_DEFAULTS, **preset} for name, preset in value.items()}


def _wrong_presets(presets: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, preset in presets.items():
        if not isinstance(preset, Mapping):
            yield quoted(name), "expected a table such as { width = 600, height = 400 }"
            continue
        for key, value in preset.items():
            expected = _expected(key, value)
            if expected is not None:
                yield f"{quoted(name)}.{quoted(key)}", f"expected {expected}"
        if not preset.keys() & {"width", "height"}:
            yield quoted(name), "expected a `width`, a `height`, or both"


def _expected(key: str, value: Any) -> str | None:
    """Return what a preset's key expects, or None if the value is valid."""
    if key in _NUMBERS:
        least, most = _NUMBERS[key]
        is_valid = type(value) is int and least <= value <= most
        return None if is_valid else f"a whole number from {least} to {most}"
    if key in _CHOICES:
        return None if value in _CHOICES[key] else f"one of {', '.join(_CHOICES[key])}"
    if key == "enlarge":
        return None if type(value) is bool else "true or false"
    return f"one of the keys {', '.join(_DEFAULTS)}"


def _read_auto_formats(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or any(one not in ("avif", "webp") for one in value):
        raise ValueError
    return tuple(value)


def _read_sizes(value: Any) -> tuple[int, ...]:
    if not isinstance(value, list | tuple) or len(value) > _MOST_SIZES:
        raise ValueError
    if any(type(one) is not int or not 1 <= one <= MAX_SIDE for one in value):
        raise ValueError
    return tuple(value)


def _read_secret(value: Any) -> str:
    if not isinstance(value, str) or len(value) < _LEAST_SECRET:
        raise ValueError
    return value


_PRESETS: Final = Kind(
    "tables of presets by name, such as card = { width = 600, height = 400 }",
    lambda text: _read_presets(FREE_TABLE.from_text(text)),
    _read_presets,
)
_AUTO_FORMATS: Final = Kind(
    "a list of avif and webp",
    lambda text: _read_auto_formats([part.strip() for part in text.split(",") if part.strip()]),
    _read_auto_formats,
)


_SIZES: Final = Kind(
    f"a list of whole numbers from 1 to {MAX_SIDE}, at most {_MOST_SIZES}",
    lambda text: _read_sizes([int(part) for part in text.split(",") if part.strip()]),
    _read_sizes,
)
_SECRET: Final = Kind(f"a string of at least {_LEAST_SECRET} characters", _read_secret, _read_secret)


@dataclass(frozen=True, slots=True, kw_only=True)
class Images:
    """Transformations of images."""

    presets: Mapping[str, Mapping[str, Any]] = setting(
        {},
        "Transformations that clients can request with `?preset=NAME`: a name, and its `width`, `height`, `fit` "
        "(`cover`, `contain`, `inside`), `format` (`auto`, `avif`, `webp`, `jpeg`, `png`), `quality`, `blur` and "
        "`enlarge`.",
        kind=_PRESETS,
    )
    auto_formats: tuple[str, ...] = setting(
        ("webp",),
        'Formats that `format = "auto"` chooses from, best first, if the client\'s `Accept` header lists them. '
        "`avif` files are smaller and take longer to create.",
        kind=_AUTO_FORMATS,
    )
    in_formats: bool = setting(
        False,
        "Add the URL and size of each preset, and a placeholder, to `formats` of files in responses.",
    )
    sizes: tuple[int, ...] = setting(
        (),
        "Widths and heights that clients can set in URLs without a preset: `?width=640`; without any, they cannot.",
        kind=_SIZES,
    )
    secret: str | None = setting(
        None,
        "Secret for signed URLs, which can have any parameter; at least 32 characters.",
        kind=optional(_SECRET),
        variable="IMAGES_SECRET",
        secret=True,
    )
    cache_size: int = setting(
        5 * 1024**3,
        "Maximum total size of transformed images in the storage; beyond it, the oldest are deleted.",
        kind=SIZE,
        bounds=(10 * 1024**2, None),
        default_doc="5 GB",
    )

    @property
    def is_enabled(self) -> bool:
        """Whether any transformation can be requested."""
        return bool(self.presets or self.sizes or self.secret)
