"""What `package.json` of a project says: whether it is one of v4, and which packages it uses."""

import json
from pathlib import Path
from typing import Any, Final

_PACKAGE: Final = "package.json"
_STRAPI: Final = "@strapi/strapi"


def is_v4_project(project: Path) -> bool:
    """Whether `package.json` asks for Strapi. Of any other project no code of v4 is looked for."""
    return _STRAPI in dependencies(read_package(project))


def read_package(project: Path) -> dict[str, Any]:
    """What `package.json` says; nothing where there is none, or none that can be read."""
    try:
        found = json.loads((project / _PACKAGE).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def dependencies(package: dict[str, Any]) -> dict[str, str]:
    """The packages that a project asks for, with the versions it asks for."""
    found: dict[str, str] = {}
    for key in ("devDependencies", "dependencies"):
        listed = package.get(key)
        if isinstance(listed, dict):
            found |= {str(name): str(version) for name, version in listed.items()}
    return found
