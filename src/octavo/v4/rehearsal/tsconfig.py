"""Find the folder of a project's compiled TypeScript: `outDir` of tsconfig.json, also through `extends`."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from octavo.core.bounded_files import MEGABYTE, read_own_file
from octavo.core.errors import ApplicationError

_NAME: Final = "tsconfig.json"
_MOST_FILES: Final = 20
_COMMENT: Final = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING_COMMA: Final = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')


def compiled_folder(project: Path) -> Path | None:
    """Return the absolute path of `outDir`, or None if it is not set. Raises ApplicationError."""
    file = project.resolve() / _NAME
    return _out_dir(file, _MOST_FILES) if file.exists() else None


def _out_dir(file: Path, most: int) -> Path | None:
    if most == 0:
        raise ApplicationError(f"{file}: extends more than {_MOST_FILES} files; a rehearsal needs its outDir")
    config = _read(file)
    options = config.get("compilerOptions")
    out_dir = options.get("outDir") if isinstance(options, dict) else None
    if isinstance(out_dir, str):
        return Path(os.path.normpath(Path(file.parent, out_dir.replace("${configDir}", "."))))
    named = config.get("extends")
    for name in reversed(named if isinstance(named, list) else [named]):  # the last one counts
        for base in _candidates(file, name) if isinstance(name, str) else ():
            if base.is_file():
                if (inherited := _out_dir(base, most - 1)) is not None:
                    return inherited
                break
    return None


def _candidates(file: Path, name: str) -> Iterator[Path]:
    """Yield the files that a name in `extends` can refer to: relative to the file, or in a package."""
    is_path = name.startswith((".", "/"))
    for folder in (file.parent,) if is_path else (parent / "node_modules" for parent in file.parents):
        path = folder / name
        yield from (path, path.with_name(f"{path.name}.json"), path / _NAME)


def _read(file: Path) -> dict[str, Any]:
    """Return the content of a file in TypeScript's JSON, with comments and trailing commas."""
    try:
        text = read_own_file(file, MEGABYTE).decode("utf-8-sig")
        value = json.loads(_TRAILING_COMMA.sub(r"\1", _COMMENT.sub(r"\1", text)))
    except (OSError, ValueError, RecursionError) as error:
        raise ApplicationError(f"{file} cannot be read, and a rehearsal needs its outDir: {error}") from error
    return value if isinstance(value, dict) else {}
