"""Names of uploaded files: the displayed name and the stored one."""

import re

import pytest

from octavo.content.media.file_names import FileName, new_hash, read_file_name, slug
from octavo.core.errors import OctavoError


@pytest.mark.parametrize(
    "sent, name, extension",
    [
        ("a.png", "a.png", ".png"),
        ("Été & co.PNG", "Été & co.PNG", ".PNG"),
        ("a b.tar.gz", "a b.tar.gz", ".gz"),
        ("shell.php.png", "shell.php.png", ".png"),
        ("C:\\Users\\ann\\a.png", "a.png", ".png"),
        ("..\\..\\a.png", "a.png", ".png"),
        ("a..b.png", "a..b.png", ".png"),
        ("...", "...", ""),
        ("a.", "a.", ""),
        (".htaccess", ".htaccess", ""),
        ("no-extension", "no-extension", ""),
        ("a.p/hp".replace("/", ""), "a.php", ".php"),
        ("a.tar gz", "a.tar gz", ""),
        ("a.é", "a.é", ""),
        ("a." + "e" * 33, "a." + "e" * 33, ""),
        ("%2e%2e%2fx.png", "%2e%2e%2fx.png", ".png"),
        ("日本.webp", "日本.webp", ".webp"),
        ("con.png", "con.png", ".png"),
        ("x" * 251 + ".png", "x" * 251 + ".png", ".png"),
    ],
)
def test_names(sent: str, name: str, extension: str) -> None:
    assert read_file_name(sent) == FileName(name, extension)


@pytest.mark.parametrize(
    "sent",
    ["", "a\\", ".", "..", "a/b.png", "../../x.png", "a\0b.png", "a\nb.png", "a:b", "<a>", "a?", "nul", "\ud800.png"],
)
def test_names_without_usable_characters(sent: str) -> None:
    with pytest.raises(OctavoError) as caught:
        read_file_name(sent)
    assert (caught.value.status, caught.value.name) == (400, "ApplicationError")
    assert caught.value.message == "File name contains invalid characters"


def test_long_names() -> None:
    with pytest.raises(OctavoError) as caught:
        read_file_name("x" * 252 + ".png")
    assert (caught.value.name, caught.value.message) == (
        "ValidationError",
        "A file name can have at most 255 characters",
    )


@pytest.mark.parametrize(
    "text, expected",
    [
        ("one", "one"),
        ("gris été", "gris_ete"),
        ("Été & co", "Ete_and_co"),
        ("a b.tar", "a_b_tar"),
        ("Größe", "Groesse"),
        ("äöüÄÖÜß", "aeoeue_Ae_Oe_Uess"),
        ("U\u0308bermut", "Uebermut"),
        ("Æøåþð", "A_Eoathd"),
        ("naïve café", "naive_cafe"),
        ("fooBar BazQux", "foo_Bar_Baz_Qux"),
        ("привет мир", "privet_mir"),
        ("a  --b__c!!", "a_b_c"),
        ("it's", "it_s"),
        ("../../etc/passwd", "etc_passwd"),
        ("♪", ""),
        ("x" * 300, "x" * 120),
    ],
)
def test_slugs(text: str, expected: str) -> None:
    assert slug(text) == expected


def test_hashes_are_unique() -> None:
    hashes = {new_hash("red.png") for _ in range(100)}
    assert len(hashes) == 100
    assert all(re.fullmatch(r"red_[0-9a-f]{10}", value) for value in hashes)
