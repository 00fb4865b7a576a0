"""Transformed images: each kind of pixels in each format, where they are cropped, and their maximum size."""

import io
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageChops, ImageCms

from octavo.content.media import image_rendering
from octavo.content.media.focal_points import FocalPoint
from octavo.content.media.image_formats import TURNS, process_image
from octavo.content.media.image_placeholders import create_placeholder
from octavo.content.media.image_rendering import render
from octavo.content.media.image_sizes import Measured, Size
from octavo.content.media.image_workers import ImageWorkers, WorkerLimits
from octavo.content.media.transformations import HEIC, KINDS, TYPES, ImageFormat, Rendering, Transformation, place
from octavo.core.errors import ApplicationError
from tests.models.pictures import heic_picture

needs_heic = pytest.mark.skipif(HEIC not in KINDS, reason="needs pi-heif, which `make check` installs")

PIXELS = [
    ("PNG", "1"),
    ("PNG", "L"),
    ("PNG", "LA"),
    ("PNG", "P"),
    ("PNG", "RGB"),
    ("PNG", "RGBA"),
    ("PNG", "I;16"),
    ("GIF", "P"),
    ("JPEG", "L"),
    ("JPEG", "RGB"),
    ("JPEG", "CMYK"),
    ("WEBP", "RGB"),
    ("WEBP", "RGBA"),
    ("TIFF", "1"),
    ("TIFF", "L"),
    ("TIFF", "LA"),
    ("TIFF", "RGB"),
    ("TIFF", "RGBA"),
    ("TIFF", "CMYK"),
    ("TIFF", "I;16"),
    ("TIFF", "F"),
    ("AVIF", "RGB"),
    ("AVIF", "RGBA"),
]


def written(folder: Path, kind: str, image: Image.Image, **options: Any) -> Path:
    path = folder / "original"
    content = io.BytesIO()
    image.save(content, kind, **options)
    path.write_bytes(content.getvalue())
    return path


@pytest.mark.parametrize("fit", ["cover", "contain"])
@pytest.mark.parametrize("kind, mode", PIXELS)
def test_all_pixels_in_all_formats(tmp_path: Path, kind: str, mode: str, fit: Any) -> None:
    source = written(tmp_path, kind, Image.new(mode, (60, 30)))
    for image_format in TYPES:
        wanted = Transformation(width=20, height=20, fit=fit, blur=2)
        target = tmp_path / image_format
        assert render(source, f"image/{kind.lower()}", Rendering(wanted, image_format), target) == Size(20, 20)
        with Image.open(target) as image:
            assert (f"image/{(image.format or '').lower()}", image.size) == (TYPES[image_format], (20, 20))


@pytest.mark.parametrize("image_format, corner", [("jpeg", (255, 255, 255)), ("png", (0, 0, 0, 0))])
def test_transparency_stays_and_is_white_in_jpeg(tmp_path: Path, image_format: ImageFormat, corner: Any) -> None:
    source = written(tmp_path, "PNG", Image.new("RGBA", (60, 30), (0, 0, 0, 0)))
    render(source, "image/png", Rendering(Transformation(width=20), image_format), tmp_path / "out")
    with Image.open(tmp_path / "out") as image:
        assert image.getpixel((0, 0)) == corner


def test_the_color_profile_stays(tmp_path: Path) -> None:
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    source = written(tmp_path, "JPEG", Image.new("RGB", (60, 30)), icc_profile=profile, comment=b"a comment")
    render(source, "image/jpeg", Rendering(Transformation(width=20), "jpeg"), tmp_path / "out")
    with Image.open(tmp_path / "out") as image:
        assert image.info["icc_profile"] == profile
    assert b"a comment" not in (tmp_path / "out").read_bytes()


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["JPEG", "TIFF", "PNG", "WEBP"])
def test_orientations(tmp_path: Path, kind: str, orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    source = written(tmp_path, kind, Image.new("RGB", (60, 30)), exif=exif)
    size = render(source, f"image/{kind.lower()}", Rendering(Transformation(width=20), "webp"), tmp_path / "out")
    assert size == (Size(20, 40) if orientation >= 5 else Size(20, 10))


@pytest.mark.parametrize("orientation", range(2, 9))
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "AVIF"])
@pytest.mark.parametrize(
    "wanted",
    [
        Transformation(width=40, height=40, focus=FocalPoint(0.2, 0.9)),
        Transformation(width=31, crop=(10, 30, 41, 27)),
        Transformation(width=50, height=20, fit="contain"),
    ],
)
def test_rotated_images_have_the_pixels_of_upright_ones(
    tmp_path: Path, kind: str, wanted: Transformation, orientation: int
) -> None:
    green = Image.linear_gradient("L").resize((240, 120))
    stored = Image.merge("RGB", (green.transpose(Image.Transpose.FLIP_LEFT_RIGHT), green, green.rotate(180)))
    exif = Image.Exif()
    exif[0x0112] = orientation
    upright = stored.transpose(TURNS[orientation - 2])
    rendering, pixels = Rendering(wanted, "png", wanted.focus or FocalPoint(0.5, 0.5)), []
    for image, options in ((stored, {"exif": exif}), (upright, {})):
        source = written(tmp_path, kind, image, quality=95, **options)
        assert render(source, f"image/{kind.lower()}", rendering, tmp_path / "out")
        with Image.open(tmp_path / "out") as result:
            pixels.append(result.convert("RGB"))
    assert pixels[0].size == pixels[1].size
    differences = ImageChops.difference(*pixels).split()
    assert max(max(band.tobytes()) for band in differences) <= 24


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"\xff\xd8\xff", b"x" * 100])
def test_damaged_files(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "original").write_bytes(content)
    for mime in ("image/png", "image/jpeg", "image/gif", "image/tiff", "image/webp", "image/avif"):
        with pytest.raises(ApplicationError):
            render(tmp_path / "original", mime, Rendering(Transformation(width=20), "webp"), tmp_path / "out")


@pytest.mark.parametrize(
    "wanted, box, size",
    [
        (Transformation(width=50), (0, 0, 200, 100), (50, 25)),
        (Transformation(height=50), (0, 0, 200, 100), (100, 50)),
        (Transformation(width=50, height=50), (50, 0, 150, 100), (50, 50)),
        (Transformation(width=50, height=50, fit="inside"), (0, 0, 200, 100), (50, 25)),
        (Transformation(width=400), (0, 0, 200, 100), (200, 100)),
        (Transformation(width=400, enlarge=True), (0, 0, 200, 100), (400, 200)),
        (Transformation(width=400, height=400), (50, 0, 150, 100), (100, 100)),
        (Transformation(width=400, height=400, enlarge=True), (50, 0, 150, 100), (400, 400)),
        (Transformation(width=50, height=50, crop=(100, 0, 50, 50)), (100, 0, 150, 50), (50, 50)),
        (Transformation(crop=(190, 90, 50, 50)), (150, 50, 200, 100), (50, 50)),
        (Transformation(crop=(0, 0, 999, 999)), (0, 0, 200, 100), (200, 100)),
    ],
)
def test_places(wanted: Transformation, box: Any, size: tuple[int, int]) -> None:
    placed = place(Size(200, 100), wanted)
    assert (placed.box, placed.size) == (box, Size(*size))


def test_the_focal_point_is_as_central_as_possible() -> None:
    wanted = Transformation(width=50, height=50)
    boxes = [place(Size(200, 100), wanted, FocalPoint(x, 0.5)).box[0] for x in (0, 0.25, 0.4, 1)]
    assert boxes == [0, 0, pytest.approx(30), 100]


@pytest.mark.parametrize(
    "image, wanted, size",
    [
        (Size(1, 8000), Transformation(width=4096, enlarge=True), Size(1, 8192)),
        (Size(20000, 1000), Transformation(format="webp"), Size(8192, 410)),
        (Size(12000, 2000), Transformation(height=1500), Size(8192, 1365)),
        (Size(9000, 3000), Transformation(width=4096, height=1000).times(3), Size(8192, 2000)),
    ],
)
def test_the_largest_side_does_not_change_the_proportions(image: Size, wanted: Transformation, size: Size) -> None:
    assert place(image, wanted).size == size


@pytest.mark.parametrize(
    "wanted",
    [
        Transformation(width=500),
        Transformation(width=90),
        Transformation(width=33, height=70, crop=(11, 21, 301, 302)),
        Transformation(width=900, enlarge=True),
    ],
)
def test_strips_join_without_a_seam(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wanted: Transformation) -> None:
    red, green = Image.linear_gradient("L").resize((600, 600)), Image.radial_gradient("L").resize((600, 600))
    source = written(tmp_path, "PNG", Image.merge("RGBA", (red, green, green.rotate(90), red.rotate(90))))
    pixels = []
    for number in (1 << 30, 20_000):
        monkeypatch.setattr(image_rendering, "_STRIP_PIXELS", number)
        assert render(source, "image/png", Rendering(wanted, "png"), tmp_path / "out")
        with Image.open(tmp_path / "out") as image:
            pixels.append(image.convert("RGBa"))
    differences = ImageChops.difference(*pixels).split()
    assert max(max(band.tobytes()) for band in differences) <= 3


@pytest.mark.parametrize(
    "mode, size, image_format, orientation",
    [
        ("RGBA", (7000, 7000), "webp", 1),
        ("RGBA", (7000, 7000), "webp", 6),
        ("RGBA", (6000, 4000), "jpeg", 1),
        ("P", (8000, 6000), "webp", 3),
    ],
)
def test_large_images_are_transformed(
    tmp_path: Path, mode: str, size: tuple[int, int], image_format: ImageFormat, orientation: int
) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    source = written(tmp_path, "PNG", Image.new(mode, size), compress_level=1, exif=exif)
    workers = ImageWorkers(WorkerLimits(at_once=1, slow=1))
    rendering = Rendering(Transformation(width=800), image_format)
    found = workers.run_blocking(partial(render, source, "image/png", rendering, tmp_path / "out"))
    workers.close()
    assert found == Size(800, 800 * size[1] // size[0])


@needs_heic
def test_heic_photos(tmp_path: Path) -> None:
    (tmp_path / "original").write_bytes(heic_picture())
    for image_format in TYPES:
        rendering = Rendering(Transformation(width=40, height=20), image_format)
        assert render(tmp_path / "original", HEIC, rendering, tmp_path / "out") == Size(40, 20)
        with Image.open(tmp_path / "out") as image:
            left, right = (image.convert("RGB").getpixel((x, 10)) for x in (2, 37))
        assert isinstance(left, tuple)
        assert isinstance(right, tuple)
        assert (left[0] > left[2], right[0] > right[2]) == (True, False)
    placeholder = create_placeholder(tmp_path / "original", HEIC)
    assert placeholder is not None
    assert '"width":16,"height":8' in placeholder


@needs_heic
def test_damaged_heic_photos(tmp_path: Path) -> None:
    (tmp_path / "original").write_bytes(heic_picture()[:-60])
    with pytest.raises(ApplicationError):
        render(tmp_path / "original", HEIC, Rendering(Transformation(width=40), "webp"), tmp_path / "out")


@needs_heic
def test_formats_of_heic_photos_are_jpeg(tmp_path: Path) -> None:
    path = tmp_path / "original"
    path.write_bytes(heic_picture())
    assert process_image(path, HEIC, {"small": 60}, path) == Measured()
    measured = process_image(path, HEIC, {"small": 60}, path, heic=True)
    (small,) = measured.formats
    assert (measured.size, small.size, small.mime, small.extension) == (
        Size(120, 60),
        Size(60, 30),
        "image/jpeg",
        ".jpg",
    )
    with Image.open(small.path) as image:
        assert (image.format, image.size) == ("JPEG", (60, 30))
        left, right = (image.getpixel((x, 15)) for x in (5, 55))
    assert isinstance(left, tuple)
    assert isinstance(right, tuple)
    assert (left[0] > 200, right[2] > 200) == (True, True)
    path.write_bytes(heic_picture()[:-60])
    assert process_image(path, HEIC, {"small": 60}, path, check=True, heic=True).formats == ()
