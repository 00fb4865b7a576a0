"""Private files in a browser: the switch in a file's details, if the project has private files."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from octavo.content.media.videos import has_programs
from tests.cli.processes import Server, serving
from tests.content.media.test_videos import make
from tests.pages.desk import Desk
from tests.pages.sample import FIRST
from tests.pages.test_media import LIBRARY, drag, drop, found, open_tile

IMAGES = """
[images]
inFormats = true

[images.presets.card]
width = 160
height = 120
"""
SECRET = "a secret of more than thirty-two characters"


@pytest.fixture(scope="module")
def service(seeded_magazine: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve the sample project with private files."""
    project = shutil.copytree(seeded_magazine, tmp_path_factory.mktemp("private") / "magazine")
    settings = {"IMAGES_SECRET": SECRET, "OCTAVO_PLUGINS__UPLOAD__CONFIG__PRIVATE_FILES": "true"}
    with (project / "config/api.toml").open("a") as file:
        file.write(IMAGES)
    with serving("develop", project, **FIRST, **settings) as server:
        yield server


def test_a_file_becomes_private(desk: Desk) -> None:
    desk.open(LIBRARY)
    open_tile(desk, "orchard.jpg")
    desk.see("The URL needs a signature")
    assert "signature" not in found(desk, "orchard.jpg")[0]["url"]
    desk.click_at("[role=dialog] input[role=switch]")
    desk.see("The file is private")
    assert "&signature=" in found(desk, "orchard.jpg")[0]["url"]
    desk.click_at("[role=dialog] input[role=switch]")
    desk.see("The file is public")
    assert "signature" not in found(desk, "orchard.jpg")[0]["url"]


def test_a_folder_becomes_private(desk: Desk) -> None:
    folder = desk.ask("POST", "/upload/folders", {"name": "Contracts", "parent": None})["data"]
    [file] = found(desk, "orchard.jpg")
    body = {"fileIds": [file["id"]], "folderIds": [], "destinationFolderId": folder["id"]}
    desk.ask("POST", "/upload/actions/bulk-move", body)
    desk.open(LIBRARY)
    desk.click("Select Contracts")
    desk.click("Edit")
    desk.see("Edit folder", "All files in this folder and its subfolders are private")
    desk.click_at("[role=dialog] input[role=switch]")
    desk.click("Save")
    desk.see("Saved")
    desk.until("document.querySelector('svg[aria-label=Private]')", "the icon of private folders")
    assert "&signature=" in found(desk, "orchard.jpg")[0]["url"]

    drag(desk, "li:has([title='canal.jpg'])", "li:has([title=Contracts])")
    desk.see("This folder is private, so the files become private")
    desk.click_at("[role=dialog] footer button:first-child")
    desk.gone("This folder is private")
    assert found(desk, "canal.jpg")[0]["folder"] is None
    desk.ask("POST", "/upload/folders", {"name": "Orchards", "parent": None})
    desk.open(f"{LIBRARY}?_q=orchard")
    drag(desk, "li:has([title='orchard.jpg'])", "li:has([title=Orchards])")
    desk.see("Make files public?")
    desk.click_at("[role=dialog] footer button:first-child")
    desk.gone("Make files public?")
    desk.open(LIBRARY)
    open_tile(desk, "Contracts")
    drag(desk, "li:has([title='orchard.jpg'])", "main nav li:first-child button")
    desk.see("Make files public?")
    desk.click_at("[role=dialog] footer button:first-child")
    desk.gone("Make files public?")
    open_tile(desk, "orchard.jpg")
    desk.see("The file is private because its folder is")
    desk.pick("Folder", "Media library")
    desk.click("Save")
    desk.see("Make files public?", "The new folder is public")
    desk.click_at(".button.danger")
    desk.see("No files yet")
    assert "signature" not in found(desk, "orchard.jpg")[0]["url"]


@pytest.mark.skipif(not has_programs(), reason="needs ffmpeg and ffprobe")
def test_videos_show_a_frame_and_their_duration(desk: Desk, tmp_path: Path) -> None:
    make(tmp_path, "-f", "lavfi", "-i", "color=red:size=320x240:rate=5:duration=65", "-c:v", "mpeg4", "tour.mp4")
    desk.open(LIBRARY)
    desk.see("Newest first")
    drop(desk, "tour.mp4", content=(tmp_path / "tour.mp4").read_bytes(), kind="video/mp4")
    desk.see("Upload complete", seconds=60)
    desk.see("1:05")
    desk.until("document.querySelector(\"[title='tour.mp4'] img\")?.naturalWidth", "the frame", seconds=60)
    assert "preset=card" in desk.do("document.querySelector(\"[title='tour.mp4'] img\").src")
    open_tile(desk, "tour.mp4")
    desk.see("Duration")
    assert "preset=card" in desk.do("document.querySelector('video').poster")
