"""Transformations in URLs: presets, listed sizes and signatures, and errors."""

import pytest

from octavo.api.http.image_parameters import ImageOptions, read_transformation
from octavo.content.media.focal_points import FocalPoint
from octavo.content.media.private_files import sign
from octavo.content.media.transformations import Transformation
from octavo.core.errors import ForbiddenError, ValidationError, problems_of

PATH, SECRET = "/uploads/cat.jpg", "s" * 32
CARD = Transformation(width=60, height=40)
PRESETS = ImageOptions({"card": CARD}, refuses=True)
SIZES = ImageOptions({"card": CARD}, refuses=True, sizes=(320, 640))
SIGNED = ImageOptions({"card": CARD}, secret=SECRET)


def messages(query: str, options: ImageOptions) -> list[str]:
    with pytest.raises(ValidationError) as raised:
        read_transformation(PATH, query, options, 0)
    return [problem.message for problem in problems_of(raised.value)]


def signed(query: str) -> str:
    return f"{query}&signature={sign(PATH, query, SECRET)}"


@pytest.mark.parametrize(
    "query, options, wanted",
    [
        ("preset=card", PRESETS, CARD),
        ("preset=card&dpr=2&v=5", PRESETS, Transformation(width=120, height=80)),
        ("v=5&x=1", PRESETS, None),
        ("width=320", SIZES, Transformation(width=320)),
        (
            "width=320&height=640&fit=inside&format=png",
            SIZES,
            Transformation(width=320, height=640, fit="inside", format="png"),
        ),
        ("height=640&dpr=3", SIZES, Transformation(height=1920)),
        (signed("width=7&focus=auto&blur=3"), SIGNED, Transformation(width=7, blur=3)),
        (signed("focus=0.25,1&crop=1,2,3,4"), SIGNED, Transformation(focus=FocalPoint(0.25, 1), crop=(1, 2, 3, 4))),
        (signed("width=7&expires=101"), SIGNED, Transformation(width=7)),
        (signed("preset=card"), SIGNED, CARD),
        ("width=7", SIGNED, None),
    ],
)
def test_transformations(query: str, options: ImageOptions, wanted: Transformation | None) -> None:
    assert read_transformation(PATH, query, options, 100) == wanted


@pytest.mark.parametrize(
    "query, options, said",
    [
        ("preset=x", PRESETS, "preset: unknown preset. Set it in `images.presets` of api.toml. Presets: card"),
        (
            "width=5",
            PRESETS,
            "width: not available in URLs. Define a preset in `images.presets` of api.toml, list",
        ),
        ("preset=card&fit=cover", PRESETS, "fit: cannot be combined with `preset`"),
        ("dpr=2", PRESETS, "dpr: only available together with `preset`, `width` or `height`"),
        ("preset=card&dpr=4", PRESETS, "dpr: expected a whole number from 1 to 3"),
        ("width=321", SIZES, "width: expected one of `images.sizes` in api.toml: 320, 640"),
        ("width=0x140", SIZES, "width: expected a whole number from 1 to 4096"),
        ("width=320&fit=fill", SIZES, "fit: expected one of cover, contain, inside"),
        ("width=320&quality=9", SIZES, "quality: only available in signed URLs. Set `images.secret` in api.toml"),
        (signed("focus=2,0"), SIGNED, "focus: expected `auto`, or two numbers from 0 to 1"),
        (signed("crop=0,0,0,5"), SIGNED, "crop: expected left, top, width and height in pixels"),
        (signed("quality=101"), SIGNED, "quality: expected a whole number from 1 to 100"),
    ],
)
def test_problems(query: str, options: ImageOptions, said: str) -> None:
    (message,) = messages(query, options)
    assert message.startswith(said)


def test_private_files_need_a_signature() -> None:
    def read(query: str, options: ImageOptions) -> Transformation | None:
        return read_transformation(PATH, query, options, 0, is_private=True)

    assert read(signed("preset=card&expires=100"), SIGNED) == CARD
    with pytest.raises(ForbiddenError, match="expires: required in signed URLs, because the file is private"):
        read(signed("preset=card"), SIGNED)
    assert (read("preset=card", SIGNED), read("v=1", SIGNED)) == (None, None)
    with pytest.raises(ValidationError, match="signature: required, because the file is private"):
        read("width=320", SIZES)


@pytest.mark.parametrize(
    "query",
    [
        "width=7&signature=",
        "width=7&signature=AAAA",
        signed("width=7").replace("7", "8", 1),
        signed("width=7") + "&height=9",
        "height=9&" + signed("width=7"),
        signed("width=7&expires=100"),
        signed("width=7&expires=-1"),
        signed("width=7&expires=abc"),
        "signature=" + sign(PATH, "", SECRET),
        "width=7&signature=%C3%A9",
    ],
)
def test_wrong_signatures(query: str) -> None:
    with pytest.raises(ForbiddenError, match=r"signature|expired"):
        read_transformation(PATH, query, SIGNED, 100)
    with pytest.raises(ForbiddenError):
        read_transformation("/uploads/dog.jpg", signed("width=7"), SIGNED, 100)
