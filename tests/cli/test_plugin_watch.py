"""Plugins installed while `octavo develop` runs: the log says that a restart is needed."""

from pathlib import Path

import pytest

from octavo.cli.develop import PluginWatch
from tests.cli.processes import ROOT, serving

ENTRY_POINTS = "[octavo.plugins]\nreviews = octavo_reviews\n"


def install(folder: Path, version: str) -> None:
    (folder / "octavo_reviews").mkdir(exist_ok=True)
    (folder / "octavo_reviews/__init__.py").touch()
    information = folder / f"octavo_reviews-{version}.dist-info"
    information.mkdir()
    (information / "entry_points.txt").write_text(ENTRY_POINTS, "utf-8")
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: octavo-reviews\nVersion: {version}\n", "utf-8")


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    folder = tmp_path / "packages"
    folder.mkdir()
    return folder


def test_develop_reports_that_a_restart_is_needed(project: Path, packages: Path) -> None:
    with serving("develop", project, PYTHONPATH=f"{ROOT / 'src'}:{packages}") as server:
        server.hear_of("Octavo serves")
        install(packages, "1.4.0")
        reported = server.hear_of("The plugin reviews")[-1]
        assert reported == "The plugin reviews 1.4.0 was installed. Restart octavo develop to use it"
        assert server.stop()[0] == 0


def test_each_version_is_reported_once(packages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(packages))
    watch = PluginWatch()
    assert watch.news() == []
    install(packages, "1.4.0")
    assert [watch.news() for _ in range(3)] == [
        ["The plugin reviews 1.4.0 was installed. Restart octavo develop to use it"],
        [],
        [],
    ]
    (packages / "octavo_reviews-1.4.0.dist-info").rename(packages / "gone")
    assert watch.news() == []
    install(packages, "2.0.0")
    assert watch.news() == ["The plugin reviews 2.0.0 was installed. Restart octavo develop to use it"]


def test_waits_for_an_installer_that_is_not_done(packages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(packages))
    watch = PluginWatch()
    install(packages, "1.4.0")
    metadata = packages / "octavo_reviews-1.4.0.dist-info/METADATA"
    text = metadata.read_text("utf-8")
    metadata.unlink()
    assert watch.news() == []
    metadata.write_text(text, "utf-8")
    assert len(watch.news()) == 1
