"""The OpenAPI document of the magazine: a client by openapi-python-client, checked by mypy and used.

The generator and the packages of its clients go into a virtual environment of their own, in `build/clients`.
"""

import os
import subprocess
import sys
import venv
from pathlib import Path
from urllib.request import urlopen

NODE = Path(__file__).resolve().parents[2] / "build/clients/openapi-python"
PACKAGES = ("openapi-python-client==0.29.1", "mypy==2.4.1")
USE = """
import os
import time

from magazine_client import AuthenticatedClient
from magazine_client.api.article import article_create, article_find_one
from magazine_client.api.tag import tag_create
from magazine_client.models import (
    ArticleInput, ArticleRequest, ArticleResponse, RelationChange, RelationConnection, RelationPosition, TagInput,
    TagRequest, TagResponse,
)

client = AuthenticatedClient(base_url=os.environ["OCTAVO_BASE"], token=os.environ["OCTAVO_TOKEN"])
name = f"openapi-python-{time.time_ns()}"
ids: list[int] = []
for one in (f"{name}-a", f"{name}-b"):
    tag = tag_create.sync(client=client, body=TagRequest(data=TagInput(name=one, slug=one)))
    assert isinstance(tag, TagResponse), tag
    ids.append(tag.data.id)
placed: list[RelationConnection | int] = [
    RelationConnection(id=one, position=RelationPosition(start=True)) for one in ids
]
data = ArticleInput(title=name, slug=name, tags=RelationChange(connect=placed))
assert data.to_dict()["tags"] == {"connect": [{"id": one, "position": {"start": True}} for one in ids]}
made = article_create.sync(client=client, body=ArticleRequest(data=data))
assert isinstance(made, ArticleResponse), made
found = article_find_one.sync(made.data.id, client=client)
assert isinstance(found, ArticleResponse), found
assert found.data.attributes.title == name
"""


def main() -> None:
    folder = NODE
    if not (folder / "bin").is_dir():
        venv.create(folder, with_pip=True)
    python = str(folder / "bin/python")
    run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *PACKAGES)
    with urlopen(f"{os.environ['OCTAVO_BASE']}/documentation/openapi.json") as document:
        (folder / "openapi.json").write_bytes(document.read())
    (folder / "use.py").write_text(USE, encoding="utf-8")
    command = ("generate", "--path", "openapi.json", "--output-path", "magazine_client", "--meta", "none")
    said = run(str(folder / "bin/openapi-python-client"), *command, "--overwrite")
    assert "Unable to" not in said, said
    run(python, "-m", "mypy", "--strict", "--follow-imports", "silent", "use.py")
    run(python, "use.py")


def run(*command: str) -> str:
    """Run a program in the folder of the client; its output. Ends this one if it fails."""
    finished = subprocess.run(
        command, cwd=NODE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if finished.returncode:
        sys.exit(f"{' '.join(command)}:\n{finished.stdout}")
    return finished.stdout


main()
