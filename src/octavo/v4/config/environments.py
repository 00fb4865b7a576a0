"""`config/env/<NODE_ENV>/`: whether what was meant for production is read there."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from octavo.settings.findings import Finding, Outcome

_FOLDER: Final = "config/env/production"


def unread_environment(project: Path, variables: Mapping[str, str]) -> Iterator[Finding]:
    """A service that is in production, while v4 would take its files for development: told, and done as v4 does."""
    if not variables.get("NODE_ENV") and (project / _FOLDER).is_dir():
        message = "not read: without NODE_ENV v4 is in development; set NODE_ENV=production, or development if so meant"
        yield Finding(outcome=Outcome.OPEN, file=_FOLDER, line=0, key="", message=message)
