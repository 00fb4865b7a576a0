"""What `octavo generate` asks where it is called without a name."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import click

from octavo.cli.base import say
from octavo.modeling.generators.attributes import TYPES, plain_types, read_attribute
from octavo.modeling.generators.definitions import TypeOptions
from octavo.modeling.generators.files import CannotGenerate
from octavo.modeling.generators.names import checked_attribute, checked_name, display_name, plural_of
from octavo.schema.registry import Registry

_ASKED = {
    "enumeration": "Values, separated by commas",
    "component": "Component, such as shared.seo",
    "dynamiczone": "Components, with commas between",
}


def ask_content_type(options: TypeOptions) -> tuple[str, TypeOptions]:
    """Its name, and what else is to be said of it."""
    name = _ask("Name, in the singular", lambda text: checked_name(text, "a content-type"))
    plural = options.plural or _ask("Plural", lambda text: checked_name(text, "a content-type"), plural_of(name))
    return name, replace(
        options,
        plural=plural,
        display=options.display or click.prompt("Name for people", default=display_name(name)),
        single=options.single or click.confirm("Only one entry (a single type)?", default=False),
        drafts=click.confirm("With drafts?", default=options.drafts),
        localized=options.localized or click.confirm("In several languages?", default=False),
    )


def ask_component(display: str | None) -> tuple[str, str]:
    """Its UID, and its name for people."""
    category = _ask("Category", lambda text: checked_name(text, "a category"))
    name = _ask("Name", lambda text: checked_name(text, "a component"))
    return f"{category}.{name}", display or click.prompt("Name for people", default=display_name(name))


def ask_attributes(registry: Registry, own: str) -> Sequence[str]:
    """Attributes, one after another, as words; until an empty name."""
    say("Attributes; an empty name ends them. Types: {}", ", ".join(TYPES))
    words: list[str] = []
    while name := click.prompt("Attribute", default="", show_default=False):
        try:
            word = _ask_attribute(checked_attribute(name))
            read_attribute(word, registry, own)
        except CannotGenerate as error:
            say("[red]{}[/]", error)
            continue
        words.append(word)
    return words


def _ask_attribute(name: str) -> str:
    kind = click.prompt("  Type", type=click.Choice(TYPES), show_choices=False)
    word = f"{name}:{kind}"
    if kind not in plain_types():
        asked = _ASKED.get(kind, "Content-type")
        word = f"{word}:{click.prompt(f'  {asked}')}"
    return f"{word}:required" if click.confirm("  Required?", default=False) else word


def _ask(text: str, check: Callable[[str], str], default: str | None = None) -> str:
    """A text that a check takes; asked again until it does."""
    while True:
        try:
            return check(click.prompt(text, default=default))
        except CannotGenerate as error:
            say("[red]{}[/]", error)
