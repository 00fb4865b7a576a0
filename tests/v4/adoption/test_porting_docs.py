"""The page on porting code: each JavaScript example becomes the Python next to it, line by line."""

import re
from pathlib import Path

import pytest

from octavo.schema.registry import Registry
from octavo.v4.adoption.drafts.files import drafts
from octavo.v4.code.read import read_code
from octavo.v4.code.sources import Sources
from tests.v4.config.project import write

PAGE = (Path(__file__).parents[3] / "docs/from-strapi-v4.md").read_text(encoding="utf-8")
SECTION = PAGE.split("\n## Porting code\n")[1].split("\n## ")[0]
PAIRS = re.findall(r"^```js\n// (\S+)\n(.*?)^```\n\n```python\n# (\S+)\n(.*?)^```", SECTION, re.MULTILINE | re.DOTALL)


def test_every_shape_has_both() -> None:
    assert len(PAIRS) == SECTION.count("```js") == SECTION.count("```python") >= 6


def bare(text: str) -> list[str]:
    """Return the lines of a file without comments, its docstring and empty lines."""
    lines = [line for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]
    return lines[1:] if lines[0].startswith('"') else lines


@pytest.mark.parametrize("file, script, path, python", PAIRS, ids=[pair[0] for pair in PAIRS])
def test_javascript_becomes_the_python_beside_it(
    tmp_path: Path, file: str, script: str, path: str, python: str
) -> None:
    write(tmp_path, {file: script})
    registry = Registry((), ())
    [draft] = drafts(Sources(tmp_path), registry, read_code(tmp_path, registry).findings)
    assert (draft.path, bare(draft.text)) == (path, bare(python))
