"""Private files in a browser: the switch in the details of a file, where the project has private files."""

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
    """The sample project, with private files."""
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
