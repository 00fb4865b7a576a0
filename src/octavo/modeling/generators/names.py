"""Validate and derive names of generated definitions and files."""

import keyword
import re
from typing import Final

from octavo.modeling.generators.files import CannotGenerate
from octavo.schema.naming import snake_case, words

_KEBAB: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_ATTRIBUTE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
LONGEST: Final = 50
"""Maximum characters of a name: databases allow 63 in table names, which combine two names and more."""
_SIBILANTS: Final = ("s", "x", "z", "ch", "sh")


def checked_name(name: str, what: str) -> str:
    """Return a folder or file name: lower-case words joined by hyphens. Raises CannotGenerate."""
    if not _KEBAB.fullmatch(name) or len(name) > LONGEST:
        near = "-".join(word.lower() for word in words(name) if word.isascii()).lstrip("-0123456789")[:LONGEST]
        hint = f", such as {near}" if near and near != name else ""
        raise CannotGenerate(
            f"{name!r} is not a valid name of {what}: use lowercase letters, digits and single hyphens, at most "
            f"{LONGEST}{hint}"
        )
    return name


def checked_attribute(name: str) -> str:
    """Return an attribute's name. Raises CannotGenerate."""
    if not _ATTRIBUTE.fullmatch(name) or len(name) > LONGEST:
        raise CannotGenerate(
            f"{name!r} is not a valid attribute name: use letters, digits and _, starting with a letter, at "
            f"most {LONGEST}"
        )
    return name


def plural_of(name: str) -> str:
    """Return the plural of a name that ends with an English word, as a suggestion.

    >>> plural_of("talk"), plural_of("news-story"), plural_of("box"), plural_of("day")
    ('talks', 'news-stories', 'boxes', 'days')
    """
    if name.endswith("y") and name[-2:-1] not in "aeiou":
        return f"{name[:-1]}ies"
    return f"{name}es" if name.endswith(_SIBILANTS) else f"{name}s"


def display_name(name: str) -> str:
    """Return a display name: `Blog post` for `blog-post`."""
    return " ".join(words(name)).capitalize()


def class_name(name: str) -> str:
    """Return a class name: `BlogPost` for `blog-post`."""
    return "".join(word.capitalize() for word in words(name))


def method_name(name: str) -> str:
    """Return a function name: `by_slug` for `by-slug`. Raises CannotGenerate."""
    name_in_code = snake_case(name)
    if not name_in_code.isidentifier() or keyword.iskeyword(name_in_code):
        raise CannotGenerate(f"{name!r} is not a valid Python function name")
    return name_in_code


def collection_name(plural: str) -> str:
    """Return a content type's table name: `blog_posts` for `blog-posts`."""
    return plural.replace("-", "_")
