"""The helpers for external programs."""

from tests.cluster import programs


def test_every_program_is_there() -> None:
    gone = programs.missing()
    assert not gone, programs.how_to_install(gone)
