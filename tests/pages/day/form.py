"""Use an entry's form as an editor does: fields by path, components in zones, links of relations."""

import json
from typing import Any

from tests.pages.desk import Desk

CONTENT = "/content-manager/collection-types"
ARTICLE = f"{CONTENT}/api::article.article"


def path(name: str) -> str:
    """Return the selector of a field, or of a field in a component."""
    return f"[data-path={json.dumps(name)}]"


def control(name: str) -> str:
    """Return the expression for a field's input element."""
    return f"document.getElementById({json.dumps('field.' + name)})"


def write(desk: Desk, field: str, text: str) -> None:
    """Replace the value of a field."""
    desk.until(
        f"((one) => one && (one.focus(), one.select?.(), document.activeElement === one))({control(field)})", field
    )
    desk.page.send("Input.insertText", text=text)


def holds(desk: Desk, field: str, text: str) -> None:
    """Wait until a field has a value."""
    desk.until(f"{control(field)}?.value === {json.dumps(text)}", f"{text!r} in {field}")


def link(desk: Desk, field: str, text: str) -> None:
    """Search for an entry in a relation field and choose it."""
    write(desk, field, text)
    found = "__look.all('[role=option]')"
    desk.until(
        f"{found}.length && {found}.every((one) => __look.said(one).includes({json.dumps(text)}))", f"only {text} found"
    )
    desk.click(text, exact=False, within="[role=listbox]")
    desk.until(f"{links(field)}.includes({json.dumps(text)})", f"a link to {text}")


def links(field: str) -> str:
    """Return the expression for the linked entries of a relation, in order."""
    buttons = f"document.querySelectorAll({json.dumps(path(field) + ' button[aria-label^=Remove]')})"
    return f"[...{buttons}].map((one) => one.ariaLabel.replace('Remove ', ''))"


def add_part(desk: Desk, zone: str, kind: str) -> None:
    """Add a component to a dynamic zone."""
    desk.click(f"Add a component to {zone.capitalize()}")
    desk.click(kind, within="[role=dialog]")
    desk.until("!document.querySelector('[role=dialog]')", "no dialog any more")


def move(desk: Desk, item: str, key: str) -> None:
    """Move a list item by pressing an arrow key on the handle of the first match."""
    grip = f"document.querySelector({json.dumps(item)})?.querySelector('button[aria-label^=Move]')"
    desk.until(f"((one) => one && (one.focus(), document.activeElement === one))({grip})", f"the handle of {item}")
    desk.press(key)


def entries(desk: Desk, uid: str, query: str) -> list[dict[str, Any]]:
    """Return complete entries as Ada can read them."""
    found = desk.ask("GET", f"{CONTENT}/{uid}?{query}")["results"]
    return [desk.ask("GET", f"{CONTENT}/{uid}/{one['id']}") for one in found]
