"""The styles of the pages: sufficient contrast, colors by tokens only, and no left or right."""

import re
from collections.abc import Iterator
from itertools import chain, product
from typing import Final

import pytest

from tests.cli.processes import ROOT

SOURCES: Final = ROOT / "admin/src"
TOKENS: Final = SOURCES / "ui/tokens.css"
DESIGN: Final = ROOT / "admin/DESIGN.md"
TEXTS: Final = ("text", "text-muted", "accent", "accent-hover", "good", "warn", "bad", "bad-hover")
GROUNDS: Final = ("ground", "surface", "sunken", "hover", "accent-soft", "good-soft", "warn-soft", "bad-soft")
ON: Final = (("on-accent", "accent"), ("on-accent", "accent-hover"), ("on-bad", "bad"), ("on-bad", "bad-hover"))

_RULE: Final = re.compile(r"(?:^|[;{\s])([\w-]+)\s*:\s*([^;{}]+);")
_PHYSICAL: Final = re.compile(r"\b(left|right)\b")
_TOKEN: Final = re.compile(r"var\([^()]*\)")
_COLOUR: Final = re.compile(
    r"#[0-9a-f]{3,8}\b|\b(?:rgba?|hsla?|oklch|color-mix)\(|\b(?:white|black|red|green|blue|gr[ae]y)\b"
)
_LENGTH: Final = re.compile(r"(?<![\w.])(\d*\.?\d+)(px|rem|ch|pt|cm)\b")
_DISTANCE: Final = re.compile(
    r"(margin|padding|inset|scroll-margin|scroll-padding)(-\w+)*|(row-|column-)?gap|top|bottom|border(-\w+)*-radius|font-size"
)
_HAIR: Final = 4
"""Pixels: smaller values, such as lines and rings, need no token."""


def test_colors_have_sufficient_contrast_in_both_themes() -> None:
    for theme in ("dark", "light"):
        colors = colors_of(theme)
        for one, ground in (*product(TEXTS, GROUNDS), *ON):
            assert contrast(colors[one], colors[ground]) >= 4.5, f"{theme}: {one} on {ground}"
        for ground in GROUNDS:
            assert contrast(colors["line-strong"], colors[ground]) >= 3, f"{theme}: a control on {ground}"


def test_texts_have_sufficient_contrast_to_their_background() -> None:
    """Texts use text colors; a color that is set together with a background has enough contrast."""
    for name, rules in all_rules():
        for rule in rules:
            named = {prop: re.findall(r"var\(--([\w-]+)\)", value) for prop, value in rule}
            inks, grounds = named.get("color", []), named.get("background", []) or named.get("background-color", [])
            assert {*inks} <= {*TEXTS, *(ink for ink, _ in ON)}, f"{name}: {rule}"
            for pair in product(inks, grounds):
                assert pair in ON or pair in {*product(TEXTS, GROUNDS)}, f"{name}: {rule}"


def test_styles_do_not_use_left_and_right() -> None:
    found = [
        f"{name}: {prop}: {value}"
        for name, rules in all_rules()
        for prop, value in chain(*rules)
        if _PHYSICAL.search(prop) or (prop in {"text-align", "float", "clear"} and _PHYSICAL.search(value))
    ]
    assert found == []


def test_colors_sizes_and_distances_are_tokens() -> None:
    found = []
    for name, rules in all_rules():
        for prop, value in chain(*rules):
            rest = _TOKEN.sub("", value)
            lengths = _LENGTH.findall(rest) if _DISTANCE.fullmatch(prop) else []
            if _COLOUR.search(rest) or any(unit != "px" or float(number) > _HAIR for number, unit in lengths):
                found.append(f"{name}: {prop}: {value}")
    assert found == []


def test_the_design_page_names_every_token() -> None:
    tokens = set(re.findall(r"^ +(--[\w-]+):", TOKENS.read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"`(--[\w-]+)`", DESIGN.read_text(encoding="utf-8"))) == tokens


def test_the_design_page_states_the_lowest_contrasts() -> None:
    stated = re.findall(r"^\| `--([\w-]+)` \|[^|]+\| ([\d.]+) \| ([\d.]+) \|$", DESIGN.read_text(), re.MULTILINE)
    assert {ink for ink, *_ in stated} == {*TEXTS, "line-strong"}
    for theme, at in (("light", 1), ("dark", 2)):
        colors = colors_of(theme)
        for row in stated:
            lowest = min(contrast(colors[row[0]], colors[ground]) for ground in GROUNDS)
            assert row[at] == f"{lowest:.1f}", f"{theme}: {row[0]}"


@pytest.mark.parametrize("style", ["margin-left: 0", "border-top-right-radius: 0", "left: 0", "text-align: right"])
def test_physical_styles_are_detected(style: str) -> None:
    [(prop, value)] = _RULE.findall(f"{style};")
    assert _PHYSICAL.search(prop) or _PHYSICAL.search(value)


def all_rules() -> Iterator[tuple[str, list[list[tuple[str, str]]]]]:
    """Yield each file's rules as properties and values, without those of the tokens."""
    for path in sorted(SOURCES.rglob("*")):
        if path.suffix not in {".svelte", ".css"} or path == TOKENS:
            continue
        text = path.read_text(encoding="utf-8")
        set_by_script = [(prop, "") for prop in re.findall(r"\bstyle:([a-z-]+)", text)]
        if path.suffix == ".svelte":
            text = "\n".join(re.findall(r"<style>(.*?)</style>", text, re.DOTALL))
        blocks = re.findall(r"\{([^{}]*)\}", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL))
        yield str(path.relative_to(SOURCES)), [set_by_script, *map(_RULE.findall, blocks)]


def colors_of(theme: str) -> dict[str, str]:
    """Return the colors of a theme by token."""
    themes = dict(re.findall(r"data-theme='(\w+)'\] \{(.*?)\n\}", TOKENS.read_text(encoding="utf-8"), re.DOTALL))
    assert sorted(themes) == ["dark", "light"]
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", themes[theme]))


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colors by WCAG 2.2: 1 to 21.

    >>> contrast("#000000", "#ffffff")
    21.0
    """
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(color: str) -> float:
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
