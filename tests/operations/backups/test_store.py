"""The folder of backups: complete copies only, retention, and the required free space."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from octavo.events.jobs.backup_records import ABANDONED, RETRY, Record
from octavo.events.jobs.schedule import Schedule
from octavo.operations.backups.making import compare
from octavo.operations.backups.store import BackupFailed, Copy, Counts, Manifest, Store, kept, link_tree

HOUR = 3_600_000
NOON = int(datetime(2026, 3, 18, 12, tzinfo=UTC).timestamp() * 1000)


def manifest(made_at: int) -> Manifest:
    return Manifest("1.0", "sqlite", "database.db", made_at, 3, {"articles": 2}, "restored")


def add(store: Store, made_at: int) -> Copy:
    with store.alone(), store.unfinished(made_at) as path:
        (path / "database.db").write_text("abc")
        return store.finish(path, manifest(made_at))


def test_copies_are_complete_or_missing(tmp_path: Path) -> None:
    store = Store(tmp_path / "copies")
    with store.alone(), store.unfinished(NOON) as path:
        (path / "database.db").write_text("half")
    assert store.copies() == []
    killed = tmp_path / "copies/.unfinished-20260101T000000Z"
    killed.mkdir()
    made = add(store, NOON)
    assert (made.path.name, made.rows) == ("20260318T120000Z", 2)
    assert store.copies() == [made]
    assert sorted(one.name for one in (tmp_path / "copies").iterdir()) == [".lock", "20260318T120000Z"]
    assert (tmp_path / "copies").stat().st_mode & 0o077 == 0


def test_only_one_process_at_a_time(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with store.alone(), pytest.raises(BackupFailed, match="Another process"), Store(tmp_path).alone():
        pass


def test_other_files_are_not_deleted(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for name, text in (("mine", "{}"), ("broken", "{"), ("other", '{"version": 2}')):
        (tmp_path / name).mkdir()
        (tmp_path / name / "manifest.json").write_text(text)
    (tmp_path / "note.txt").write_text("mine")
    add(store, NOON)
    newest = add(store, NOON + HOUR)
    store.thin(Counts())
    assert store.copies() == [newest]
    assert {"mine", "broken", "other", "note.txt"} < {one.name for one in tmp_path.iterdir()}


def test_retention() -> None:
    moments = [datetime(2026, 3, 18, 12, tzinfo=UTC) - timedelta(hours=6 * number) for number in range(400)]
    copies = [Copy(Path(str(at)), manifest(int(at.timestamp() * 1000))) for at in moments]

    def days(counts: Counts) -> list[str]:
        return [one.made.strftime("%m-%d %H") for one in kept(copies, counts)]

    assert days(Counts(last=2)) == ["03-18 12", "03-18 06"]
    assert days(Counts(daily=3)) == ["03-18 12", "03-17 18", "03-16 18"]
    assert days(Counts(weekly=3)) == ["03-18 12", "03-15 18", "03-08 18"]
    assert days(Counts(daily=2, monthly=2)) == ["03-18 12", "03-17 18", "02-28 18"]
    assert kept(copies[:1], Counts(last=0)) == []


def test_the_newest_copy_is_never_deleted(tmp_path: Path) -> None:
    store = Store(tmp_path)
    older, newer = add(store, NOON), add(store, NOON + HOUR)
    assert store.thin(Counts(last=0)) == [older]
    assert store.copies() == [newer]


def test_room(tmp_path: Path) -> None:
    Store(tmp_path).require(1)
    with pytest.raises(BackupFailed, match=r"Not enough space in .* MB are free, 1 MB are required"):
        Store(tmp_path, leave_free=2**60).require(1024**2)


def test_unchanged_files_are_hard_links(tmp_path: Path) -> None:
    source, first, second = tmp_path / "uploads", tmp_path / "first", tmp_path / "second"
    (source / "inner").mkdir(parents=True)
    for name in ("a.jpg", "inner/b.jpg"):
        (source / name).write_text(name)
    (source / "link").symlink_to("/etc/passwd")
    assert link_tree(source, first, None) == 2
    (source / "a.jpg").write_text("another text")
    assert link_tree(source, second, first) == 2
    assert (second / "inner/b.jpg").samefile(first / "inner/b.jpg")
    assert (first / "a.jpg").read_text() == "a.jpg"
    assert (second / "a.jpg").read_text() == "another text"
    assert not os.path.lexists(second / "link")


def test_rows_are_compared() -> None:
    compare({"a": 1}, {"a": 1})
    with pytest.raises(BackupFailed, match="a has 1 rows, not 2; b has no rows, not 0; c has 3 rows, not any"):
        compare({"a": 2, "b": 0}, {"a": 1, "c": 3})


def test_due_backups() -> None:
    schedule = Schedule("0 3 * * *")
    night = NOON - 9 * HOUR
    assert Record().is_due(schedule, NOON)  # the first copy, immediately
    good = Record(begun_at=night, ended_at=night + 5, verified_at=night)
    assert not good.is_due(schedule, NOON)
    assert good.is_due(schedule, NOON + 16 * HOUR)
    failed = Record(begun_at=night, ended_at=night + 5, verified_at=night - 24 * HOUR, failures=1)
    assert not failed.is_due(schedule, night + RETRY)
    assert failed.is_due(schedule, night + RETRY + 6)
    running = Record(begun_at=night, ended_at=night - 24 * HOUR, verified_at=night - 24 * HOUR)
    assert not running.is_due(schedule, night + ABANDONED)
    assert running.is_due(schedule, night + ABANDONED + 1)  # its process has ended
