"""Versions of v4: which one an archive is made for, and which ones are read."""

import json
import re
from pathlib import Path
from typing import Any, Final

from octavo.transfer.problems import TransferError

_LATEST: Final = "4.26.2"
_VERSION: Final = re.compile(r"[\^~]?(4\.\d+\.\d+)\Z", re.ASCII)


def version_of(project: Path) -> str:
    """The version of v4 that a project names in its `package.json`, else the latest."""
    try:
        package = json.loads((project / "package.json").read_text("utf-8"))
        named = _VERSION.match(str(package["dependencies"]["@strapi/strapi"]))
    except (OSError, ValueError, KeyError, TypeError):
        named = None
    return named[1] if named else _LATEST


def check_version(metadata: dict[str, Any]) -> None:
    """Refuse what no version 4 has made. Raises TransferError."""
    strapi = metadata.get("strapi")
    version = strapi.get("version") if isinstance(strapi, dict) else None
    if not isinstance(version, str) or not version.startswith("4."):
        raise TransferError(f"The archive is of version {version}; only those of version 4 can be read")
