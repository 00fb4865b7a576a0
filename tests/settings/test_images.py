"""Image presets in `api.toml`: valid values, and errors."""

from pathlib import Path

import pytest

from octavo.settings import SettingsError, load_settings
from octavo.settings.files.images import Images


def read(folder: Path, text: str) -> Images:
    (folder / "config").mkdir()
    (folder / "config/api.toml").write_text(text)
    return load_settings(folder, {}).api.images


def test_presets_get_all_keys(tmp_path: Path) -> None:
    images = read(tmp_path, "[images.presets.card]\nwidth = 600\nheight = 400\nfit = 'inside'\n")
    assert images.presets == {
        "card": {
            "width": 600,
            "height": 400,
            "fit": "inside",
            "format": "auto",
            "quality": 75,
            "blur": 0,
            "enlarge": False,
        }
    }
    assert (images.auto_formats, images.cache_size) == (("webp",), 5 << 30)


@pytest.mark.parametrize(
    "line, expected",
    [
        ("presets.card = 5", "expected a table such as { width = 600, height = 400 }"),
        ("presets.card = {}", "expected a `width`, a `height`, or both"),
        ("presets.card = { width = 0 }", "expected a whole number from 1 to 4096"),
        ("presets.card = { width = true }", "expected a whole number from 1 to 4096"),
        ("presets.card = { width = 9, fit = 'fill' }", "expected one of cover, contain, inside"),
        ("presets.card = { width = 9, format = 'gif' }", "expected one of auto, avif, webp, jpeg, png"),
        ("presets.card = { width = 9, quality = 101 }", "expected a whole number from 1 to 100"),
        ("presets.card = { width = 9, enlarge = 1 }", "expected true or false"),
        ("presets.card = { widht = 9, width = 9 }", "expected one of the keys width, height, fit"),
        ("autoFormats = ['png']", "expected a list of avif and webp"),
        ("sizes = [0]", "expected a list of whole numbers from 1 to 4096, at most 32"),
        ("secret = 'short'", "expected a string of at least 32 characters"),
        ("cacheSize = '1 MB'", "10 MB"),
    ],
)
def test_invalid_values(tmp_path: Path, line: str, expected: str) -> None:
    with pytest.raises(SettingsError, match="images") as raised:
        read(tmp_path, f"[images]\n{line}\n")
    assert expected in str(raised.value)
