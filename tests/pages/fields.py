"""Where fields are in a page."""

import json


def place(path: str) -> str:
    """Return the script of the field at a path."""
    return f"document.querySelector('[data-path={json.dumps(path)}]')"
