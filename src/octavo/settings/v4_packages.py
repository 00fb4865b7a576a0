"""What the `package.json` of a v4 project brings that is no setting of Octavo's own."""

import json
from pathlib import Path
from typing import Final

_LARGEST: Final = 1 << 20


def depends_on(project: Path, package: str) -> bool:
    """Whether a project names a package among its dependencies. What cannot be read names none."""
    path = project / "package.json"
    try:
        if path.stat().st_size > _LARGEST:
            return False
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return False
    listed = content.get("dependencies") if isinstance(content, dict) else None
    return isinstance(listed, dict) and package in listed
