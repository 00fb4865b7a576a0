"""The npm packages of the compared systems: pinned direct dependencies, how to install them, and what is missing."""

import os
import platform
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from benchmarks.peers.systems.base import to_json

NODE = "22.23.3"
_STRAPI_5 = "5.54.0"
_STRAPI_4 = "4.26.2"
_REACT = {"react": "18.3.1", "react-dom": "18.3.1"}


def _strapi(version: str, **more: str) -> dict[str, str]:
    names = ("strapi", "plugin-users-permissions", "plugin-graphql")
    return {f"@strapi/{name}": version for name in names} | _REACT | more


PACKAGES: Mapping[str, Mapping[str, str]] = {
    "postgraphile": {"postgraphile": "5.1.5", "postgraphile-plugin-connection-filter": "4.0.1", "pg": "8.23.1"},
    "directus": {"directus": "11.17.4", "pg": "8.23.1"},
    "strapi5": _strapi(_STRAPI_5, **{"pg": "8.23.1", "react-router-dom": "6.30.3", "styled-components": "6.1.19"}),
    "strapi4": _strapi(_STRAPI_4, **{"pg": "8.11.3", "react-router-dom": "5.3.4", "styled-components": "5.3.11"}),
}
"""The direct dependencies of each system."""
OVERRIDES: Mapping[str, Mapping[str, str]] = {"strapi4": {"sharp": "0.33.5"}}
COMPILED: Mapping[str, tuple[str, ...]] = {"directus": ("isolated-vm",)}
"""Modules that have no ready-made program for this version of Node.js."""


def version_of(system: str) -> str:
    """Return the version of a system that comes from npm."""
    return next(iter(PACKAGES[system].values()))


def install(folder: Path) -> None:
    """Install Node.js and all systems into a folder, each with its own packages.

    Install scripts do not run, except for the modules that are compiled here. Raises FileNotFoundError.
    """
    absent = [program for program in ("npm", "make", "g++") if shutil.which(program) is None]
    if absent:
        raise FileNotFoundError(f"missing: {', '.join(absent)}. On Debian: `apt-get install nodejs npm make g++`")
    _install(folder / "node", {_node_package(): NODE}, {})
    for name, packages in PACKAGES.items():
        _install(folder / name, packages, OVERRIDES.get(name, {}))
        for module in COMPILED.get(name, ()):
            _compile(folder, name, module)


def _install(folder: Path, packages: Mapping[str, str], overrides: Mapping[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    manifest = {"private": True, "dependencies": packages, "overrides": overrides}
    (folder / "package.json").write_text(to_json(manifest), "utf-8")
    options = ("--ignore-scripts", "--no-audit", "--no-fund", "--force", "--loglevel=error")
    subprocess.run(["npm", "install", *options], cwd=folder, check=True)


def _compile(folder: Path, name: str, module: str) -> None:
    """Compile a module for the installed Node.js, with the headers of its package."""
    program = node_of(folder).resolve()
    variables = {
        "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
        "npm_config_nodedir": str(program.parents[1]),
        "npm_config_build_from_source": "true",
    }
    command = ["npm", "rebuild", module, "--loglevel=error"]
    subprocess.run(command, cwd=folder / name, env={**os.environ, **variables}, check=True)


def _node_package() -> str:
    architecture = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}
    return f"node-{platform.system().lower()}-{architecture.get(platform.machine().lower(), platform.machine())}"


def node_of(folder: Path) -> Path:
    """Return the program of the installed Node.js."""
    return folder / "node/node_modules" / _node_package() / "bin/node"


def missing(folder: Path | None, system: str) -> str | None:
    """Return what is missing to run a system and how to install it, or None if it can run."""
    command = "python -m benchmarks.peers install FOLDER"
    if folder is None:
        return f"the folder of its packages is not set: install them with `{command}`, then set `PEERS=FOLDER`"
    name = next(iter(PACKAGES[system]))
    for path in (node_of(folder), folder / system / "node_modules" / name):
        if not path.exists():
            return f"`{path}` is missing: run `{command.replace('FOLDER', str(folder))}`"
    return None
