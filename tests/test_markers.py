"""`tests/markers.py` names folders and modules that exist: after a move, a slow test must not become a fast one."""

import pytest

from tests.markers import ANY_PYTHON, DRIVER, FOLDERS, ROOT, SLOW


@pytest.mark.parametrize("path", sorted({*ANY_PYTHON, *DRIVER, *FOLDERS, *SLOW}))
def test_marked_path_exists(path: str) -> None:
    assert (ROOT / path).exists()
