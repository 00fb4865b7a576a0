"""Names that generated things can have, and names made of them."""

import keyword
import re
from typing import Final

from octavo.modeling.generators.files import CannotGenerate
from octavo.schema.naming import snake_case, words

_KEBAB: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_ATTRIBUTE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
LONGEST: Final = 50
"""Characters of a name: databases take 63 in the names of tables, which are made of two names and more."""
_SIBILANTS: Final = ("s", "x", "z", "ch", "sh")


def checked_name(name: str, what: str) -> str:
    """A name of a folder or a file: words in small letters, joined by hyphens. Raises CannotGenerate."""
    if not _KEBAB.fullmatch(name) or len(name) > LONGEST:
        near = "-".join(word.lower() for word in words(name) if word.isascii()).lstrip("-0123456789")[:LONGEST]
        hint = f", such as {near}" if near and near != name else ""
        raise CannotGenerate(
            f"{name!r} cannot name {what}: small letters, digits and single hyphens, at most {LONGEST}{hint}"
        )
    return name


def checked_attribute(name: str) -> str:
    """The name of an attribute. Raises CannotGenerate."""
    if not _ATTRIBUTE.fullmatch(name) or len(name) > LONGEST:
        raise CannotGenerate(
            f"{name!r} cannot name an attribute: letters, digits and _, a letter first, at most {LONGEST}"
        )
    return name


def plural_of(name: str) -> str:
    """The plural of an English word that ends a name; a proposal.

    >>> plural_of("talk"), plural_of("news-story"), plural_of("box"), plural_of("day")
    ('talks', 'news-stories', 'boxes', 'days')
    """
    if name.endswith("y") and name[-2:-1] not in "aeiou":
        return f"{name[:-1]}ies"
    return f"{name}es" if name.endswith(_SIBILANTS) else f"{name}s"


def display_name(name: str) -> str:
    """A name for people: `Blog post` of `blog-post`."""
    return " ".join(words(name)).capitalize()


def class_name(name: str) -> str:
    """A name for a class: `BlogPost` of `blog-post`."""
    return "".join(word.capitalize() for word in words(name))


def method_name(name: str) -> str:
    """A name for a function: `by_slug` of `by-slug`. Raises CannotGenerate."""
    found = snake_case(name)
    if not found.isidentifier() or keyword.iskeyword(found):
        raise CannotGenerate(f"{name!r} cannot name a function of Python")
    return found


def collection_name(plural: str) -> str:
    """The table of a content-type: `blog_posts` of `blog-posts`."""
    return plural.replace("-", "_")
