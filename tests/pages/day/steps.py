"""Steps: a day on the pages as named functions in order. Later steps depend on earlier ones."""

from collections.abc import Callable
from typing import Final

from tests.pages.desk import Desk

Step = Callable[[Desk], None]
LISTS: Final = "/admin/content-manager/collection-types"
ARTICLES: Final = f"{LISTS}/api::article.article"
CATEGORIES: Final = f"{LISTS}/api::category.category"
_MOST_FAILURES = 3


class Day:
    """The steps of a day."""

    def __init__(self, after: Step | None = None) -> None:
        """Run `after` as a part of each step."""
        self.steps: dict[str, Step] = {}
        self.after = after

    def step(self, name: str) -> Callable[[Step], Step]:
        """Register a function as the step with this name."""

        def add(function: Step) -> Step:
            assert name not in self.steps, name
            self.steps[name] = function
            return function

        return add

    def failures(self, desk: Desk) -> list[str]:
        """Run all steps and return the failures, each with its step's name. Stop after the third one."""
        wrong: list[str] = []
        for name, run in self.steps.items():
            try:
                run(desk)
                if self.after:
                    self.after(desk)
                reported = desk.complaints()
                assert not reported, reported
            except AssertionError as error:
                wrong.append(f"{name}: {error}")
                if len(wrong) == _MOST_FAILURES:
                    break
        return wrong


def rows(desk: Desk, count: int) -> None:
    """Wait until a list has this number of rows and is not loading."""
    desk.until(
        f"document.querySelectorAll('tbody tr').length === {count} && !document.querySelector('[aria-busy=true]')",
        f"{count} rows",
    )


def save(desk: Desk) -> None:
    """Save a form, and wait until it is saved."""
    desk.click("Save")
    saved(desk)


def saved(desk: Desk) -> None:
    """Wait for the notice that confirms the save, and close it."""
    told(desk, "Saved")


def told(desk: Desk, text: str) -> None:
    """Wait for a notice, and close all notices."""
    desk.until(
        f"[...document.querySelectorAll('.toasts .toast')].some((one) => one.innerText.includes({text!r}))",
        f"the notice {text!r}",
    )
    close = "document.querySelector('.toasts .toast button[aria-label=Close]')"
    desk.until(f"({close}?.click(), !document.querySelector('.toasts .toast'))", "no notice any more")


def say_yes(desk: Desk) -> None:
    """Press the last button of a dialog, which confirms it."""
    desk.click_at("[role=dialog] footer button:last-child, [role=alertdialog] footer button:last-child")
    dialog_gone(desk)


def dialog_gone(desk: Desk) -> None:
    """Wait until no dialog is open."""
    desk.until("!document.querySelector('[role=dialog], [role=alertdialog]')", "no dialog any more")


def choose_from_menu(desk: Desk, button: str, item: str) -> None:
    """Open a menu and choose an item."""
    desk.click(button)
    desk.until("document.querySelector('[role=menu]')", f"the menu of {button}")
    desk.click(item)
