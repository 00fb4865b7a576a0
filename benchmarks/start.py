"""The start of a project with a hundred content types, until the first response of a new process."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.harness import Bench
from benchmarks.world import World
from octavo.operations.runtime.process import build
from octavo.schema.loader import load_registry
from octavo.settings import load_settings
from tests.cli.processes import serving
from tests.models.bookshop import SECRETS

TYPES = 100


def benches(world: World) -> Iterator[Bench]:
    project = world.folder / "hundred"
    write_project(project)
    settings = load_settings(project, SECRETS, mode="production")
    yield Bench("start", "load 100 content-types", partial(load_registry, project), few=True)
    yield Bench("start", "build 100 content-types", partial(build, settings), few=True)
    yield Bench("start", "process to first answer, new database", first_answer(project), forget(project), few=True)
    yield Bench("start", "process to first answer", first_answer(project), few=True)


def first_answer(project: Path) -> Any:
    def start() -> None:
        with serving("start", project, **SECRETS):
            pass

    return start


def forget(project: Path) -> Any:
    def remove() -> None:
        for file in (project / ".octavo").glob("data.db*"):
            file.unlink()

    return remove


def write_project(folder: Path) -> None:
    """Write a project with a hundred content types, each related to the previous one."""
    for number in range(TYPES):
        name = f"thing-{number}"
        file = folder / f"src/api/{name}/content-types/{name}/schema.json"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(definition(number)), "utf-8")
    (folder / "public/uploads").mkdir(parents=True)


def definition(number: int) -> dict[str, Any]:
    name = f"thing-{number}"
    before = f"api::thing-{max(number - 1, 0)}.thing-{max(number - 1, 0)}"
    return {
        "kind": "collectionType",
        "collectionName": f"things_{number}",
        "info": {"singularName": name, "pluralName": f"{name}s", "displayName": name},
        "options": {"draftAndPublish": True},
        "attributes": {
            "title": {"type": "string", "required": True},
            "slug": {"type": "uid", "targetField": "title"},
            "body": {"type": "richtext"},
            "count": {"type": "integer"},
            "when": {"type": "datetime"},
            "picture": {"type": "media", "multiple": False},
            "one": {"type": "relation", "relation": "manyToOne", "target": before},
            "many": {"type": "relation", "relation": "manyToMany", "target": before},
        },
    }
