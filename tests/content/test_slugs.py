"""Texts converted to slugs."""

import pytest

from octavo.content.slugs import slug, slugify
from octavo.core.text_limits import MAX_SLUG_SOURCE


@pytest.mark.parametrize(
    "text, expected",
    [
        ("Hello World", "hello-world"),
        ("fooBar BAZQux", "foo-bar-baz-qux"),
        ("Æther ßß Ö Ä å ø", "a-ether-ssss-oe-ae-a-o"),
        ("日本語 a", "a"),
        ("Привет Ёж хлеб", "privet-yozh-hleb"),
        ("it's O'Brien", "it-s-o-brien"),
        ("a_b c", "a-b-c"),
        ("100% a---b", "100-a-b"),
        ("ñandú çà œuf", "nandu-ca-oeuf"),
        ("Việt Nam Nguyễn", "viet-nam-nguyen"),
        ("ΑΘήνα", "at-hina"),
        ("😀 smile ♥ & 🦄", "smile-love-and-unicorn"),
        ("iPhone4S XMLHttp", "i-phone4-s-xml-http"),
        ("½ € $ £ @", ""),
        ("  ", ""),
    ],
)
def test_slugs_equal_those_of_v4(text: str, expected: str) -> None:
    assert slug(text, "-").lower() == expected


def test_long_texts_are_fast() -> None:
    assert len(slug("aB" * 50_000, "-")) == MAX_SLUG_SOURCE * 3 // 2


@pytest.mark.parametrize(
    "text, expected",
    [
        ("Größe & Maß: Été 2", "groesse-and-mass-ete-2"),
        ("iPhone 15 Pro", "iphone-15-pro"),
        ("Дверь левая", "dver-levaya"),
        (" -- ", ""),
        ("♪ 日本", ""),
    ],
)
def test_slugs_keep_words_whole(text: str, expected: str) -> None:
    assert slugify(text) == expected
    assert slugify(expected) == expected
