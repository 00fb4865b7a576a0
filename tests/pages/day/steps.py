"""Steps: what a day at the pages is made of, by name and in their order. Later ones stand on earlier ones."""

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
        """`after` is done after each step, as a part of it."""
        self.steps: dict[str, Step] = {}
        self.after = after

    def step(self, name: str) -> Callable[[Step], Step]:
        """Add a function as the step of that name."""

        def add(function: Step) -> Step:
            assert name not in self.steps, name
            self.steps[name] = function
            return function

        return add

    def failures(self, desk: Desk) -> list[str]:
        """Do it all; what went wrong, the names of steps first. A day that goes wrong three times is over."""
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
    """Wait until a list has so many rows, and none of those before."""
    desk.until(
        f"document.querySelectorAll('tbody tr').length === {count} && !document.querySelector('[aria-busy=true]')",
        f"{count} rows",
    )


def save(desk: Desk) -> None:
    """Save a form, and wait until it is saved."""
    desk.click("Save")
    saved(desk)


def saved(desk: Desk) -> None:
    """Wait for the word that it is saved, and take it away."""
    told(desk, "Saved")


def told(desk: Desk, text: str) -> None:
    """Wait for a notice, and take all notices away."""
    desk.until(
        f"[...document.querySelectorAll('.toasts .toast')].some((one) => one.innerText.includes({text!r}))",
        f"the notice {text!r}",
    )
    close = "document.querySelector('.toasts .toast button[aria-label=Close]')"
    desk.until(f"({close}?.click(), !document.querySelector('.toasts .toast'))", "no notice any more")


def say_yes(desk: Desk) -> None:
    """Press the last button of a dialog, which does what it asks about."""
    desk.click_at("[role=dialog] footer button:last-child, [role=alertdialog] footer button:last-child")
    dialog_gone(desk)


def dialog_gone(desk: Desk) -> None:
    """Wait until no dialog is open."""
    desk.until("!document.querySelector('[role=dialog], [role=alertdialog]')", "no dialog any more")


def choose_from_menu(desk: Desk, button: str, item: str) -> None:
    """Open a menu and press what is in it."""
    desk.click(button)
    desk.until("document.querySelector('[role=menu]')", f"the menu of {button}")
    desk.click(item)
