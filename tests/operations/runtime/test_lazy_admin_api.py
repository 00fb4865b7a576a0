"""What is known of the administrators' door before it is opened."""

from octavo.api.admin.contract import rows
from octavo.operations.runtime.site import ADMIN_SEGMENTS


def test_all_paths_behind_it_are_known_by_their_first_segment() -> None:
    assert {row.path.split("/")[1] for row in rows()} == ADMIN_SEGMENTS
