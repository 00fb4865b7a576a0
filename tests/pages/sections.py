"""The sections of a form, as an administrator stores them over HTTP."""

from typing import Any, Final

from tests.pages.articles import ARTICLE
from tests.pages.desk import Desk

ONE_FORM: Final = {"display": "form", "items": []}


def choose_sections(desk: Desk, uid: str, sections: dict[str, Any] | None) -> None:
    """Store the sections of a form; None restores the default ones."""
    desk.ask("PUT", f"/content-manager/content-types/{uid}/configuration", {"sections": sections})


def show_one_form(desk: Desk) -> None:
    """Show all fields of articles in one section, for tests of fields."""
    choose_sections(desk, ARTICLE, ONE_FORM)
