"""The ASGI application factory for other servers: `uvicorn --factory octavo.asgi:create`."""

from octavo.operations.runtime.asgi import create as create
