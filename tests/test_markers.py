"""`tests/markers.py` and `tests/distribution.py` name folders and modules that exist.

After a move, a slow test must not become a fast one.
"""

import pytest

from tests.distribution import SECONDS
from tests.markers import ANY_PYTHON, DRIVER, FOLDERS, ROOT, SLOW


@pytest.mark.parametrize("path", sorted({*ANY_PYTHON, DRIVER, *FOLDERS, *SLOW, *(path for path, _ in SECONDS)}))
def test_marked_path_exists(path: str) -> None:
    assert (ROOT / path).exists()
