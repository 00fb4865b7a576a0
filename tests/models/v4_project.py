"""Small v4 projects for tests: definitions, and the files that v4 generates for them unless a test replaces them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from octavo.schema.loader import load_registry
from octavo.v4.code import Code
from octavo.v4.code.read import read_code

FACTORIES = (
    "const { createCoreRouter, createCoreController, createCoreService } = require('@strapi/strapi').factories;\n"
)
TEXT = {"type": "string"}

PACKAGES = ("@strapi/strapi", *(f"@strapi/plugin-{name}" for name in ("graphql", "i18n", "users-permissions")))


def write_files(folder: Path, files: Mapping[str, str]) -> Path:
    """Write texts. For a text that begins with `createCore`, import the factories, as v4's generator does."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{FACTORIES}module.exports = {text};\n" if text.startswith("createCore") else text)
    return folder


def write_project(folder: Path, types: Mapping[str, Any], files: Mapping[str, str | None]) -> Path:
    """Write a project with a content type for each of `types` (attributes by name; `single:NAME` for a single type).

    `files` replace generated ones; None leaves one out.
    """
    generated: dict[str, str | None] = {"package.json": json.dumps({"dependencies": dict.fromkeys(PACKAGES, "4.26.2")})}
    for given, attributes in types.items():
        name = given.removeprefix("single:")
        localized = any("pluginOptions" in attribute for attribute in attributes.values())
        schema = {
            "kind": "singleType" if name != given else "collectionType",
            "collectionName": f"{name}s",
            "info": {"singularName": name, "pluralName": f"{name}s", "displayName": name},
            "pluginOptions": {"i18n": {"localized": localized}},
            "attributes": attributes,
        }
        api = f"src/api/{name}"
        generated[f"{api}/content-types/{name}/schema.json"] = json.dumps(schema)
        for part in ("Router", "Controller", "Service"):
            folder_name = "routes" if part == "Router" else f"{part.lower()}s"
            generated[f"{api}/{folder_name}/{name}.js"] = f"createCore{part}('api::{name}.{name}')"
    return write_files(folder, {name: text for name, text in {**generated, **files}.items() if text is not None})


def read_project(folder: Path, types: Mapping[str, Any], files: Mapping[str, str | None]) -> Code:
    """Return what v4's code analysis finds in such a project."""
    write_project(folder, types, files)
    return read_code(folder, load_registry(folder))
