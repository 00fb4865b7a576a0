"""Commands and options of earlier releases. They are refused with the new ones."""

from collections.abc import Mapping
from typing import Final

FORMER_COMMANDS: Final[Mapping[str, str]] = {
    "db advise": "db suggest-indexes",
    "db migration": "generate migration",
    "jobs dead": "jobs list --failed",
    "locales default": "locales set-default",
}
"""Commands, without `octavo`, by their former names."""

FORMER_OPTIONS: Final[Mapping[str, str]] = {
    "db totals --keep": "--enable",
    "db totals --remove": "--disable",
}
"""Options by command and former name."""
