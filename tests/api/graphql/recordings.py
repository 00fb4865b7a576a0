"""Recordings of v4's GraphQL: definitions with their schemas, documents with their errors."""

import atexit
import json
import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from graphql import GraphQLSchema

from octavo.api.graphql.schema.builder import build_schema
from octavo.api.graphql.schema.exclusions import Exclusions
from octavo.schema.attributes import TIMESTAMPS
from octavo.schema.loader import load_registry
from octavo.schema.registry import Registry
from tests.archives import unpack

HERE = Path(__file__).parent
BLOG = HERE.parents[1] / "conformance/blog.tar.xz"


@cache
def _unpacked(archive: Path) -> Path:
    folder = Path(mkdtemp(prefix="octavo-graphql-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    unpack(archive, folder)
    return folder


@cache
def blog_folder() -> Path:
    """Return a folder with the recordings of `tests/conformance`, and their definitions laid out as in a project."""
    folder = _unpacked(BLOG) / "blog"
    shutil.copytree(folder / "schemas", folder / "src", dirs_exist_ok=True)
    return folder


def folder_of(name: str) -> Path:
    return blog_folder() if name == "blog" else _unpacked(HERE / "recorded.tar.xz") / "recorded" / name


@cache
def registry_of(name: str) -> Registry:
    return load_registry(folder_of(name))


def without_timestamps(registry: Registry) -> frozenset[tuple[str, str]]:
    """Return `createdAt` and `updatedAt` of all inputs, which v4 does not have."""
    return frozenset((item.uid, name) for item in registry.api_types() for name in TIMESTAMPS)


@cache
def schema_of(name: str) -> GraphQLSchema:
    """Return the schema of recorded definitions, without Octavo's additions."""
    registry = registry_of(name)
    return build_schema(registry, Exclusions(inputs=without_timestamps(registry)))


def recorded_sdl(name: str) -> str:
    return (folder_of(name) / "schema.graphql").read_text(encoding="utf-8").strip()


def recorded_documents() -> list[dict[str, Any]]:
    """Return documents for the schema of `kinds`, with their variables and errors."""
    path = folder_of("documents.json")
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return found


def recorded_introspection() -> list[dict[str, Any]]:
    """Return queries for parts of the blog's schema, and their responses."""
    lines = (folder_of("blog") / "cases/graphql-schema.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]
