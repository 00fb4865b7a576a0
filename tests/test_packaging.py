"""The package's metadata: dependencies, lock files, package data and the command."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

import octavo

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCKS = ("pip", "run", "opentelemetry", "dev", "image")


def read_input(name: str) -> list[str]:
    lines = (ROOT / f"requirements/{name}.in").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith(("#", "-"))]


def read_lock(name: str) -> str:
    return (ROOT / f"requirements/{name}.txt").read_text(encoding="utf-8")


def pinned(lock: str) -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9._-]+)==(\S+)", lock, re.MULTILINE))


def name_of(requirement: str) -> str:
    match = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert match
    return normal(match[0])


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_version_is_defined_once() -> None:
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert PROJECT["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "octavo.__version__"}
    assert re.fullmatch(r"\d+\.\d+\.\d+", octavo.__version__)


def test_the_changelog_contains_the_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## {re.escape(octavo.__version__)}\b", changelog, re.MULTILINE)


def test_the_lock_file_matches_the_dependencies() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    assert sorted(read_input("run")) == sorted((*PROJECT["project"]["dependencies"], *extras["v4"]))
    assert read_input("opentelemetry") == extras["opentelemetry"]


def test_every_import_is_a_dependency() -> None:
    imported = {name for file in (ROOT / "src").rglob("*.py") for name in imports_of(file)}
    foreign = imported - set(sys.stdlib_module_names) - {"octavo"}
    distributions = packages_distributions()
    found = {name: {normal(distribution) for distribution in distributions.get(name, [])} for name in foreign}
    extras = PROJECT["project"]["optional-dependencies"].values()
    declared = {name_of(line) for lines in (PROJECT["project"]["dependencies"], *extras) for line in lines}
    assert {name: owners for name, owners in found.items() if not owners & declared} == {}


def imports_of(file: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.split(".")[0])
    return names


@pytest.mark.parametrize("name", LOCKS)
def test_locks_contain_no_index_url(name: str) -> None:
    lock = read_lock(name)
    assert "://" not in lock
    assert not re.search(r"^ *--(?!hash)", lock, re.MULTILINE)


@pytest.mark.parametrize("name", LOCKS)
def test_locks_pin_everything_with_hashes(name: str) -> None:
    requirements = re.split(r"^(?=[a-z])", read_lock(name), flags=re.MULTILINE)[1:]
    assert [text.split()[0] for text in requirements if "--hash=sha256:" not in text] == []
    assert {name_of(line) for line in read_input(name)} <= pinned(read_lock(name)).keys()


@pytest.mark.parametrize("name", LOCKS)
def test_locks_agree(name: str) -> None:
    assert pinned(read_lock(name)).items() <= pinned(read_lock("dev")).items()


def test_every_data_file_is_packed() -> None:
    patterns = PROJECT["tool"]["setuptools"]["package-data"]["octavo"]
    package = ROOT / "src/octavo"
    packed = {file for pattern in patterns for file in package.glob(pattern)}
    data = {
        file
        for file in package.rglob("*")
        if file.is_file() and file.suffix not in {".py", ".pyc"} and "__pycache__" not in file.parts
    }
    assert package / "py.typed" in packed
    assert data - packed == set()


def test_every_example_is_installed_with_the_manual() -> None:
    """Pages refer to the examples. The sample project is installed elsewhere, for `octavo new`."""
    examples = {
        file
        for folder in (ROOT / "examples").iterdir()
        if folder.is_dir() and folder.name != "magazine"
        for file in folder.rglob("*")
        if file.is_file()
    }
    named = {
        found for page in ROOT.glob("docs/*.md") for found in re.findall(r"examples/(\w+)", page.read_text("utf-8"))
    }
    assert named - {"magazine"} <= {file.relative_to(ROOT / "examples").parts[0] for file in examples}
    installed = {file for pattern in documents_of_setup() for file in ROOT.glob(pattern)}
    assert examples - installed == set()
    packed = set(re.findall(r"^recursive-include examples/(\w+) \*$", (ROOT / "MANIFEST.in").read_text(), re.MULTILINE))
    assert {file.relative_to(ROOT / "examples").parts[0] for file in examples} <= packed


def documents_of_setup() -> list[str]:
    """Return the patterns in `setup.py`. Importing it would start a build."""
    for node in ast.parse((ROOT / "setup.py").read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "DOCUMENTS":
            return list(ast.literal_eval(node.value))
    raise AssertionError("setup.py has no DOCUMENTS")


def test_the_command_exists() -> None:
    module, function = PROJECT["project"]["scripts"]["octavo"].split(":")
    assert callable(getattr(pytest.importorskip(module), function))


def test_each_command_of_make_is_defined_once() -> None:
    targets = re.findall(r"^([a-z-]+): .*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert {"run", "check", "test", "retest"} <= set(targets)
    assert len(targets) == len(set(targets))
