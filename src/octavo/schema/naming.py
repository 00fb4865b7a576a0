"""Derived names: columns, join tables, UIDs, route paths. Names in the database are the same as in Strapi v4."""

import re
from collections.abc import Collection
from functools import lru_cache

from octavo.core.text_limits import base_letter

# Word separators: ASCII and Latin-1 punctuation, general punctuation, spaces. Characters that are neither separators
# nor Latin letters, digits or pictographs (other scripts, most symbols) count as both upper and lower case.
_BREAK = r"\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\xbf\xd7\xf7\u2000-\u206f\s\ufeff"
_PICTOGRAPH = r"\u2700-\u27bf\U00010000-\U0010ffff"
_OTHER = rf"[^A-Za-z0-9{_BREAK}{_PICTOGRAPH}]"
_LOWER, _UPPER = rf"(?:[a-z]|{_OTHER})", rf"(?:[A-Z]|{_OTHER})"
_VARIANT = "[\ufe0e\ufe0f]?[\U0001f3fb-\U0001f3ff]?"
_EMOJI = rf"(?:[\U0001f1e6-\U0001f1ff]{{2}}|[{_PICTOGRAPH}])"

# The words of a name: split at case changes, between letters and digits, and at every separator. English ordinals
# ("1st", "2nd") stay whole. Alternatives are tried in this order.
_WORD = re.compile(
    rf"[A-Z]?[a-z]+(?=[{_BREAK}]|[A-Z]|$)"
    rf"|{_UPPER}+(?=[{_BREAK}]|[A-Z]{_LOWER}|$)"
    rf"|[A-Z]?{_LOWER}+"
    r"|[A-Z]+"
    r"|[0-9]*(?:1ST|2ND|3RD|(?![123])[0-9]TH)(?![A-Z0-9])"
    r"|[0-9]*(?:1st|2nd|3rd|(?![123])[0-9]th)(?![a-z0-9])"
    r"|[0-9]+"
    rf"|{_EMOJI}{_VARIANT}(?:\u200d{_EMOJI}{_VARIANT})*",
)
_KEBAB = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_LATIN = re.compile(r"[\xc0-\xd6\xd8-\xf6\xf8-\u017f]")
_MARKS = re.compile(r"[\u0300-\u036f\ufe20-\ufe2f\u20d0-\u20ff]|['\u2019]")
_UNDECOMPOSED = dict(zip("ÐðØøĐđĦħıĸĿŀŁłŊŋŦŧſ", "DdOoDdHhikLlLlNnTts", strict=True)) | {
    "Æ": "Ae",
    "æ": "ae",
    "Œ": "Oe",
    "œ": "oe",
    "Ĳ": "IJ",
    "ĳ": "ij",
    "Þ": "Th",
    "þ": "th",
    "ß": "ss",
    "ŉ": "'n",
}


def _plain(letter: re.Match[str]) -> str:
    """Return an accented Latin letter without its accent."""
    return _UNDECOMPOSED.get(letter[0]) or base_letter(letter[0])


def words(name: str) -> list[str]:
    """Split a name into words.

    >>> words("bigViews"), words("SEOTitle"), words("address-line2")
    (['big', 'Views'], ['SEO', 'Title'], ['address', 'line', '2'])
    """
    return _WORD.findall(_MARKS.sub("", _LATIN.sub(_plain, name)))


@lru_cache(maxsize=8192)
def snake_case(name: str) -> str:
    """Return an attribute's name as a column name.

    >>> snake_case("bigViews"), snake_case("SEOTitle"), snake_case("address-line2")
    ('big_views', 'seo_title', 'address_line_2')
    """
    return "_".join(word.lower() for word in words(name))


def kebab_case(folder: str) -> str:
    """Return a folder's name as a part of a UID.

    >>> kebab_case("blogPost"), kebab_case("blog_post"), kebab_case("page2")
    ('blog-post', 'blog-post', 'page2')
    """
    return folder if _KEBAB.fullmatch(folder) else "-".join(word.lower() for word in words(folder))


def content_type_uid(api: str, singular_name: str) -> str:
    """Return `api::<api>.<singular name>`, with the API's folder name."""
    return f"api::{kebab_case(api)}.{singular_name}"


def uid_of_folder(owner: str, folder: str, known: Collection[str]) -> str:
    """Return the content type that a folder of `owner` (`api::talk`) defines: by its name, or else the only one."""
    uid = f"{owner}.{kebab_case(folder)}"
    others = [one for one in known if one.startswith(f"{owner}.")]
    return others[0] if uid not in known and len(others) == 1 else uid


def component_uid(category: str, name: str) -> str:
    """Return `<category>.<name>`, from the folder and the file."""
    return f"{category}.{name}".lower()


def singular_of(uid: str) -> str:
    """Return the last part of a UID: `article` of `api::article.article`, `seo` of `shared.seo`."""
    return uid.rpartition(".")[2]
