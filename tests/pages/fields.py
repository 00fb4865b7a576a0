"""Locate fields on a page."""

import json


def place(path: str) -> str:
    """Return the script that finds the field with a path."""
    return f"document.querySelector('[data-path={json.dumps(path)}]')"
