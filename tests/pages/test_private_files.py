"""Private files in a browser: the switch in a file's details, if the project has private files."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.processes import Server, serving
from tests.pages.desk import Desk
from tests.pages.sample import FIRST
from tests.pages.test_media import LIBRARY, found, open_tile

SECRET = "a secret of more than thirty-two characters"


@pytest.fixture(scope="module")
def service(seeded_magazine: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve the sample project with private files."""
    project = shutil.copytree(seeded_magazine, tmp_path_factory.mktemp("private") / "magazine")
    settings = {"IMAGES_SECRET": SECRET, "OCTAVO_PLUGINS__UPLOAD__CONFIG__PRIVATE_FILES": "true"}
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

    open_tile(desk, "Contracts")
    open_tile(desk, "orchard.jpg")
    desk.see("The file is private because its folder is")
    desk.pick("Folder", "Media library")
    desk.click("Save")
    desk.see("Make files public?", "The new folder is public")
    desk.click_at(".button.danger")
    desk.see("No files yet")
    assert "signature" not in found(desk, "orchard.jpg")[0]["url"]
