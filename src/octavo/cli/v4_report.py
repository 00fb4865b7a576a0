"""What became of a v4 project's own configuration: in a few lines at a start, in full for `octavo config check`."""

from collections.abc import Iterator, Sequence
from typing import Final

from octavo.cli.base import refuse, say, say_table
from octavo.settings import Settings
from octavo.settings.v4.findings import Finding, Outcome

_SHOWN: Final = 3
_ORDER: Final = (Outcome.CLOSED, Outcome.OPEN, Outcome.TAKEN, Outcome.IDLE)


def summary(settings: Settings) -> Iterator[str]:
    """At most five lines, the gravest first; none for a project that is none of v4."""
    if not settings.is_v4:
        return
    counts = {outcome: sum(one.outcome is outcome for one in settings.findings) for outcome in Outcome}
    told = [*unsettled(settings), *_warned(settings.findings)]
    yield (
        f"A project of Strapi {_version(settings)}: {counts[Outcome.TAKEN]} of its settings taken over, "
        f"{counts[Outcome.CLOSED] + counts[Outcome.OPEN]} not understood, {counts[Outcome.IDLE]} without meaning here"
    )
    yield from (f"  {one}" for one in told[:_SHOWN])
    if told:
        more = f"{len(told) - _SHOWN} more: " if len(told) > _SHOWN else ""
        yield f"  {more}`octavo config check` tells all of it"


def _version(settings: Settings) -> str:
    return settings.api.compat.v4_version or "v4, of unknown version"


def unsettled(settings: Settings) -> list[Finding]:
    """What was not understood, what is closed because of it first."""
    return [one for outcome in (Outcome.CLOSED, Outcome.OPEN) for one in settings.findings if one.outcome is outcome]


def _warned(findings: Sequence[Finding]) -> list[Finding]:
    return [one for one in findings if one.outcome is Outcome.TAKEN and one.message]


def tell_v4(settings: Settings) -> None:
    """Print the table of all keys."""
    if not settings.is_v4:
        return
    say("\nThe configuration of Strapi {}:", _version(settings))
    ordered = sorted(settings.findings, key=lambda one: _ORDER.index(one.outcome))
    rows = ((one.outcome, one.place, one.key, one.setting, one.value, one.message) for one in ordered)
    say_table(("", "place", "key", "setting", "value", "remark"), rows)


def check_strictly(settings: Settings) -> None:
    """Refuse where anything of a v4 project was not understood."""
    left = unsettled(settings)
    if left:
        refuse("\n".join([f"{len(left)} of the project's settings are not understood:", *map(str, left)]))
