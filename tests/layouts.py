"""Recorded layouts: content models and the tables that v4 creates for them (`golden/layouts`)."""

import gzip
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from octavo.query.sql.ddl.indexes import OWN_PREFIX
from octavo.query.sql.ddl.tables import Table
from octavo.schema.loader import load_registry
from octavo.schema.registry import Registry

LAYOUTS = Path(__file__).parent / "golden" / "layouts"
MODELS = sorted(path.name.removesuffix(".json.gz") for path in LAYOUTS.glob("*.json.gz"))


@cache
def recorded(model: str) -> Mapping[str, Any]:
    """Return the recording of a model, with `definitions`, `sqlite` and `postgresql`."""
    packed = (LAYOUTS / f"{model}.json.gz").read_bytes()
    content: Mapping[str, Any] = json.loads(gzip.decompress(packed))
    return content


def write_project(definitions: Mapping[str, Any], project: Path) -> Path:
    """Write a project with these definition files (paths relative to `src`)."""
    for name, definition in definitions.items():
        path = project / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(definition if isinstance(definition, str) else json.dumps(definition), encoding="utf-8")
    return project


def registry_of(definitions: Mapping[str, Any], project: Path) -> Registry:
    """Return the registry of these definition files."""
    return load_registry(write_project(definitions, project))


def as_recorded(tables: Mapping[str, Table]) -> dict[str, Any]:
    """Return tables in the format of the recordings, without Octavo's own ones."""
    return {
        name: {
            "columns": [[column.name, column.type, column.nullable, column.default] for column in table.columns],
            "indexes": [
                [index.name, list(index.columns), index.unique]
                for index in table.indexes
                if not index.name.startswith(OWN_PREFIX)
            ],
            "foreign_keys": [[key.name, key.column, key.target, key.on_delete] for key in table.foreign_keys],
        }
        for name, table in tables.items()
        if not name.startswith(OWN_PREFIX)
    }
