"""The handle that a project's code is given: settings, content, and the services of plugins."""

from octavo.handle.app import App
from octavo.handle.entries import Entries

__all__ = ["App", "Entries"]
