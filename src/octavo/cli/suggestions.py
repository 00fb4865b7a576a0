"""Suggestions for options that a command does not have: the right option, or the argument that needs none."""

from collections.abc import Iterable
from typing import Final

import click

from octavo.core.text_limits import close_match

_ALIASES: Final = {
    "--action": ("--allow", "ACTIONS"),
    "--actions": ("--allow", "ACTIONS"),
    "--permission": ("--allow", "ACTIONS"),
    "--permissions": ("--allow", "ACTIONS"),
    "--grant": ("--allow",),
    "--expires": ("--days",),
    "--lifespan": ("--days",),
    "--dir": ("--project", "--folder"),
    "--directory": ("--project", "--folder"),
    "--out": ("--output", "--file"),
    "--output": ("--file",),
    "--confirm": ("--yes", "--force"),
    "--yes": ("--force",),
    "--address": ("--url", "--host"),
    "--token": ("--key",),
}
"""Names that other tools use, or that follow from the words of messages: what they may be here."""


def suggested(option: str, command: click.Command) -> str | None:
    """Return the option or the argument of a command that an unknown option is likely to mean."""
    options = [
        name for one in command.params if isinstance(one, click.Option) for name in (*one.opts, *one.secondary_opts)
    ]
    arguments = [str(one.human_readable_name) for one in command.params if isinstance(one, click.Argument)]
    own = option.removeprefix("--").replace("-", "_").upper()
    by_name = next((one for one in arguments if own in (one, one.removesuffix("S"))), None)
    return _first((*_ALIASES.get(option, ()),), (*options, *arguments)) or by_name or close_match(option, options)


def _first(wanted: Iterable[str], known: Iterable[str]) -> str | None:
    there = set(known)
    return next((one for one in wanted if one in there), None)


def refuse_option(error: click.NoSuchOption, command: click.Command, ctx: click.Context) -> click.UsageError:
    """Return the error for an unknown option, with a suggestion."""
    option = error.option_name
    near = suggested(option, command)
    text = f"No such option {option}."
    if near is None:
        return click.UsageError(text, ctx)
    if near.startswith("-"):
        return click.UsageError(f"{text} Did you mean {near}?", ctx)
    return click.UsageError(f"{text} {near} is an argument: give it without an option.", ctx)
