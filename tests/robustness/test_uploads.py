"""Many concurrent uploads on a small scale: memory is bounded, no file is lost, and no temporary file remains.

`python -m benchmarks.uploads` does the same on a large scale: 1,000 files of 5 MB.
"""

from pathlib import Path

from benchmarks.uploads import measure

MEMORY = 300.0


def test_many_uploads_at_once(tmp_path: Path) -> None:
    report = measure(tmp_path, count=48, size=2_000_000, together=8, photo=(2000, 1500))
    assert report.statuses == {200: 48}
    assert (report.lost, report.leftovers) == (0, ())
    assert report.formats == 24 * 4
    assert 0 < report.memory_before <= report.memory_peak < MEMORY
