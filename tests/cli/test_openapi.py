"""`octavo openapi`."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Call, answered

pytestmark = pytest.mark.parametrize("call", ["sqlite"], indirect=True)


@pytest.mark.parametrize("command", [("openapi",), ("routes", "list")])
def test_no_secrets_are_needed(call: Call, project: Path, command: tuple[str, ...]) -> None:
    (project / ".env").unlink()
    assert "/api/stories" in call(*command).stdout


def test_the_document(call: Call, tmp_path: Path) -> None:
    document = answered(call("openapi"))
    assert document["openapi"].startswith("3.1")
    assert "/api/stories/{id}" in document["paths"]
    file = tmp_path / "written.json"
    call("openapi", "--output", str(file))
    assert json.loads(file.read_text("utf-8")) == document
