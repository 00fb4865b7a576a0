"""The admin API is imported at its first request. Until then only its paths are known."""

from octavo.api.admin.contract import rows
from octavo.operations.runtime.site import ADMIN_SEGMENTS


def test_the_first_segment_identifies_all_paths_of_the_admin_api() -> None:
    assert {row.path.split("/")[1] for row in rows()} == ADMIN_SEGMENTS
