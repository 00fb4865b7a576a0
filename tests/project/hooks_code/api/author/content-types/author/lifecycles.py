"""Hooks after reads."""

from typing import Any


def after_find_many(event: Any) -> None:
    event.result = [hide(entry) for entry in event.result if entry["id"] != 2]


def after_find_one(event: Any) -> None:
    if event.result is not None:
        event.result = None if event.id == 2 else hide(event.result)


def hide(entry: Any) -> Any:
    entry["name"] = "***"
    for book in entry.get("books", ()):
        book["title"] = f"{book['title']} by ***"
    return entry
