"""The ASGI factory for other servers: `uvicorn --factory octavo.asgi:create`.

The project is the folder in OCTAVO_PROJECT, or the current one. Raises the errors of `load_settings` and `build`.
"""

import os
from pathlib import Path

from octavo.api.http.application import HttpApplication
from octavo.operations.runtime.process import Process, build
from octavo.settings import load_settings


def create() -> HttpApplication:
    """Return the project's application, in production mode unless OCTAVO_ENV or NODE_ENV is set."""
    service = create_service()
    service.asgi.after_start(service.follow_live_settings)
    return service.asgi


def create_service() -> Process:
    """Return the process that the application belongs to."""
    project = Path(os.environ.get("OCTAVO_PROJECT") or ".").resolve()
    return build(load_settings(project, os.environ, default_mode="production"))
