"""What the harness knows of a system."""

import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.peers.content import Content
from benchmarks.peers.databases import Address
from benchmarks.peers.processes import Service
from benchmarks.peers.requests import Dialect
from benchmarks.peers.workloads import Api


@dataclass(frozen=True, slots=True)
class Site:
    """Where a system is set up: a new folder, an empty database, and the installed packages, if it needs any."""

    folder: Path
    database: Address
    content: Content
    packages: Path | None = None
    node: Path | None = None

    def write(self, files: Mapping[str, str]) -> None:
        """Write files, by their path in the folder."""
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")


@dataclass(frozen=True, slots=True)
class System:
    """A system that can be compared."""

    name: str
    title: str
    dialect: Dialect
    serve: Callable[[Site], AbstractContextManager[Service]]
    next_cursor: Mapping[Api, Callable[[Any], str | None]] = field(default_factory=dict)
    """Return the cursor of the next page from a response, by API."""
    needs_packages: bool = False


def to_json(value: Any) -> str:
    """Return a JSON file's text."""
    return json.dumps(value, indent=2) + "\n"
