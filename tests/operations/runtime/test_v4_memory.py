"""After reading a v4 project, the modules that read it are freed."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.cli.processes import ROOT
from tests.cli.projects import make_project

PROGRAM: Final = """
import inspect, json, sys, typing, weakref
from pathlib import Path

import octavo.operations.runtime.server
from octavo.cli.start import announcement
from octavo.operations.runtime.allocator import _READERS, _STAY, forget_readers
from octavo.operations.runtime.process import build
from octavo.settings import load_settings

project, used = Path(sys.argv[1]), sys.argv[2:]

def readers():
    return {name: module for name, module in sys.modules.items() if name.startswith(_READERS) and name not in _STAY}

def made_in(modules):
    for name, module in modules.items():
        for one in vars(module).values():
            if (inspect.isfunction(one) or inspect.isclass(one)) and one.__module__ == name:
                yield weakref.ref(one)

service = build(load_settings(project, {}, mode="production"))
tell = announcement(service)
for name in used:
    sys.modules["octavo.operations.runtime.server"].held = sys.modules[name].read_code
read, things = len(readers()), list(made_in(readers()))
for forget in typing._cleanups:  # it keeps what aliases were made of
    forget()
forget_readers()
left, alive = len(readers()), [str(one()) for one in things if one() is not None]
tell()
again = build(load_settings(project, {}, mode="production"))
print(json.dumps([read > 30, len(things) > 300, left == read, alive[:3], again.site.code == service.site.code]))
"""


def output_of(project: Path, *used: str) -> list[object]:
    make_project(project)
    (project / "package.json").write_text('{"dependencies": {"@strapi/strapi": "4.25.1"}}', "utf-8")
    (project / "config").mkdir()
    (project / "config/server.js").write_text("module.exports = { port: 1338 };", "utf-8")
    database = "module.exports = { connection: { client: 'sqlite', connection: { filename: '.tmp/data.db' } } };"
    (project / "config/database.js").write_text(database, "utf-8")
    (project / "src/api/story/policies").mkdir()
    (project / "src/api/story/policies/mine.js").write_text("module.exports = (ctx) => ctx.state.user.id > 1;", "utf-8")
    command = [sys.executable, "-c", PROGRAM, str(project), *used]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert not done.returncode, done.stderr
    found: list[object] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_all_modules_are_freed_and_can_be_imported_again(tmp_path: Path) -> None:
    assert output_of(tmp_path) == [True, True, False, [], True]


@pytest.mark.parametrize("used", ["octavo.v4.code.read"])
def test_all_modules_stay_while_one_is_in_use(tmp_path: Path, used: str) -> None:
    whole, many, all_left, alive, same = output_of(tmp_path, used)
    assert (whole, many, all_left, bool(alive), same) == (True, True, True, True, True)
