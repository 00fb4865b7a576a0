"""The Python API reference, docs/python-api.md, from the docstrings of the classes for project code."""

from octavo.api_reference.render import listed, render_reference

__all__ = ["listed", "render_reference"]
