"""ASGI: the door for foreign servers, `uvicorn --factory octavo.asgi:create`.

The project is the folder named by OCTAVO_PROJECT, or the current one. Raises what `load_settings` and `build` raise.
"""

import os
from pathlib import Path

from octavo.api.http.application import HttpApplication
from octavo.operations.runtime.process import Process, build
from octavo.settings import load_settings


def create() -> HttpApplication:
    """The application of the project. In production, unless OCTAVO_ENV or NODE_ENV says otherwise."""
    return create_service().asgi


def create_service() -> Process:
    """What the application belongs to."""
    project = Path(os.environ.get("OCTAVO_PROJECT") or ".").resolve()
    return build(load_settings(project, os.environ, default_mode="production"))
