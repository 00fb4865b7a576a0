"""Writes the lock files: packages pinned, with the hashes of all their files, no address of an index."""

import os
import subprocess
import sys
from pathlib import Path

OPTIONS = (
    "--generate-hashes",
    "--allow-unsafe",
    "--strip-extras",
    "--no-header",
    "--no-emit-index-url",
    "--no-emit-trusted-host",
    "--no-emit-find-links",
    "--upgrade",
    "--quiet",
)


def lock(name: str) -> None:
    """Pin what `<name>.in` asks for."""
    command = [sys.executable, "-m", "piptools", "compile", *OPTIONS, "--output-file", f"{name}.txt", f"{name}.in"]
    subprocess.run(
        command, check=True, cwd=Path(__file__).parent, env={**os.environ, "CUSTOM_COMPILE_COMMAND": "make lock"}
    )


if __name__ == "__main__":
    for name in ("pip", "run", "opentelemetry", "dev", "image"):
        lock(name)
