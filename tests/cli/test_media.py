"""`octavo media`: output and changes of the commands."""

import json
from contextlib import closing
from pathlib import Path
from sqlite3 import connect

import pytest

from octavo.events.purging.tags import file_tag
from tests.cli.conftest import Call, refused, said
from tests.models.camera_files import SECRET, photograph

pytestmark = pytest.mark.parametrize("call", ["sqlite"], indirect=True)

PURGE = """
[caching]
surrogateKeys = { headers = ["Surrogate-Key"] }
purge.caches = { front = { kind = "purge", url = "http://127.0.0.1:9" } }
"""


def test_strip(call: Call, project: Path) -> None:
    assert said(call("media", "strip")) == ["Removed metadata from 0 files."]
    uploads = project / "public/uploads"
    uploads.mkdir(parents=True, exist_ok=True)
    (uploads / "photo.jpg").write_bytes(photograph("JPEG"))
    (file,) = project.rglob("*.db")
    with closing(connect(file)) as database:
        database.execute(
            "INSERT INTO files (name, hash, ext, mime, size, url, provider, folder_path) VALUES"
            " ('Photo', 'photo', '.jpg', 'image/jpeg', 1, '/uploads/photo.jpg', 'local', '/')"
        )
        database.commit()
    found = "Photo (id 1): 1 part with metadata"
    assert said(call("media", "strip", "--dry-run")) == [found, "1 file with metadata."]
    assert SECRET in (uploads / "photo.jpg").read_bytes()
    (project / "config").mkdir(exist_ok=True)
    (project / "config/api.toml").write_text(PURGE, "utf-8")
    assert said(call("media", "strip")) == [found, "Removed metadata from 1 file."]
    with closing(connect(file)) as database:
        purged = database.execute("SELECT payload FROM octavo_outbox WHERE topic = 'purge'").fetchall()
    assert [file_tag("photo.jpg")] in [json.loads(payload)["tags"] for (payload,) in purged]
    assert SECRET not in (uploads / "photo.jpg").read_bytes()
    assert said(call("media", "strip", "--dry-run")) == ["0 files with metadata."]


def test_strip_keeps_the_configured_metadata(call: Call, project: Path) -> None:
    (project / "config").mkdir(exist_ok=True)
    (project / "config/plugins.toml").write_text("[upload.config]\nkeepMetadata = true\n", "utf-8")
    assert "metadata is to be kept" in refused(call("media", "strip"))


def test_placeholders(call: Call, project: Path) -> None:
    assert said(call("media", "placeholders")) == ["Created 0 placeholders."]
    uploads = project / "public/uploads"
    uploads.mkdir(parents=True, exist_ok=True)
    (uploads / "photo.jpg").write_bytes(photograph("JPEG", 60, 40))
    (file,) = project.rglob("*.db")
    with closing(connect(file)) as database:
        for name in ("photo", "lost"):
            database.execute(
                "INSERT INTO files (name, hash, ext, mime, size, url, provider, folder_path) VALUES"
                f" ('{name}', '{name}', '.jpg', 'image/jpeg', 1, '/uploads/{name}.jpg', 'local', '/')"
            )
        database.commit()
    result = call("media", "placeholders")
    assert (result.exit_code, result.stdout) == (1, "Created 1 placeholder.\n")
    assert "file 2: it is missing in the storage" in result.stderr
    assert "1 file could not be processed" in result.stderr
    with closing(connect(file)) as database:
        ((file_id, placeholder),) = database.execute("SELECT * FROM octavo_image_placeholders")
    assert (file_id, json.loads(placeholder).keys()) == (1, {"url", "width", "height", "thumbhash"})
