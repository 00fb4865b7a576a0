"""Languages that a project adds to the admin panel, or whose texts it changes."""

import json
import logging
import re
from pathlib import Path, PurePosixPath
from typing import Final

from octavo.core.bounded_files import MEGABYTE, read_own_file

logger = logging.getLogger(__name__)

FOLDER: Final = PurePosixPath("src/admin/languages")
"""Contains `CODE.json` with texts by key, for codes such as `he` and `pt-BR`."""
_NAME: Final = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*\.json")


def own_languages(project: Path) -> tuple[str, ...]:
    """Return the codes of the project's valid languages. Logs why others are invalid."""
    found = []
    for path in sorted((project / FOLDER).glob("*.json")):
        problem = _problem(path)
        if problem is None:
            found.append(path.stem)
        else:
            logger.warning("%s/%s is ignored: %s", FOLDER, path.name, problem)
    return tuple(found)


def _problem(path: Path) -> str | None:
    if not _NAME.fullmatch(path.name):
        return "its name is not a language code, such as he.json or pt-BR.json"
    try:
        words = json.loads(read_own_file(path, MEGABYTE))
    except (OSError, ValueError) as error:
        return str(error)
    if not isinstance(words, dict):
        return 'it must be an object of strings by key, such as {"ui.save": "..."}'
    wrong = next((key for key, text in words.items() if not isinstance(text, str)), None)
    return None if wrong is None else f"{wrong} is not a string"
