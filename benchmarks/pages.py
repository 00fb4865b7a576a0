"""`python -m benchmarks.pages` measures the speed of the admin pages in a browser, with 100,000 articles."""

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import choice
from statistics import median
from string import ascii_lowercase
from typing import Final

import click
from rich.console import Console
from rich.table import Table

from benchmarks.pages_data import FORM, SHELF, make_project
from benchmarks.pages_watch import Taken, Watch
from octavo.cli.terminal import progress_bar
from tests.browser import MISSING, Page, find_browser, open_page
from tests.cli.processes import serving
from tests.pages.articles import ARTICLE
from tests.pages.desk import ADA, Desk
from tests.pages.sample import FIRST

ARTICLES: Final = 100_000
GOALS: Final = {
    "first list, nothing kept": 1000,
    "first list, files kept": 200,
    "list to entry": 150,
    "entry to list": 150,
    "list to entry, 1,000 relations": 150,
    "list to form of 60 fields": 0,
    "a key in that form": 16,
    "save, beyond the server": 200,
}
"""Maximum milliseconds; 0 means no goal."""
KEYS: Final = 40
_LIST: Final = "/admin/content-manager/collection-types"
_ROWS: Final = "document.querySelector('tbody tr a')"
_FORM: Final = "document.getElementById('field.title')?.value"
Found = dict[str, list[Taken]]


@click.command()
@click.option("--project", type=click.Path(path_type=Path), help="Folder of the content, kept for later runs.")
@click.option("--articles", type=click.IntRange(100), default=ARTICLES, show_default=True)
@click.option("--rounds", type=click.IntRange(1, 50), default=5, show_default=True)
def main(project: Path | None, articles: int, rounds: int) -> None:
    """Open the pages in a browser, and print the minimum and the median of the rounds."""
    browser = find_browser()
    if browser is None:
        raise click.UsageError(MISSING)
    with tempfile.TemporaryDirectory(prefix="octavo-pages-") as scratch:
        folder = project or Path(scratch) / "magazine"
        if not (folder / "src").exists():
            with progress_bar("articles") as progress:
                make_project(folder, articles, progress)
        with open_page(browser, Path(scratch) / "browser", patience=120 + 60 * rounds) as page:
            Console(width=110).print(table_of(measure(page, folder, rounds)))


def measure(page: Page, project: Path, rounds: int) -> Found:
    """Return the measurements of each action by round. The first round warms up and does not count."""
    found: Found = {name: [] for name in GOALS}
    with serving("start", project, **FIRST) as server:
        desk = Desk(page, f"http://127.0.0.1:{server.port}")
        desk.log_in(ADA)
        watch = Watch(page, desk.base)
        for number in range(rounds + 1):
            for name, taken in one_round(desk, watch):
                if number:
                    found[name].append(taken)
    return found


def one_round(desk: Desk, watch: Watch) -> Iterator[tuple[str, Taken]]:
    """Run each action once."""
    articles = f"{_LIST}/{ARTICLE}"
    yield "first list, nothing kept", watch.opening(articles, _ROWS, cold=True)
    yield "first list, files kept", watch.opening(articles, _ROWS)
    settle()
    yield "list to entry", watch.following(clicking(desk, "tbody tr:nth-child(3) a"), "click", _FORM)
    settle()
    yield "entry to list", watch.following(lambda: desk.page.do("history.back()"), "popstate", _ROWS)
    watch.opening(f"{_LIST}/{SHELF}", _ROWS)
    settle()
    there = f"{_FORM} && document.querySelectorAll('main li').length > 5"
    yield "list to entry, 1,000 relations", watch.following(clicking(desk, "tbody tr a"), "click", there)
    watch.opening(f"{_LIST}/{FORM}", _ROWS)
    settle()
    yield "list to form of 60 fields", watch.following(clicking(desk, "tbody tr a"), "click", _FORM)
    unfold(desk.page)
    yield "a key in that form", typing(desk, watch)
    yield "save, beyond the server", saving(desk, watch)


def settle() -> None:
    """Wait until the page is idle, as it is for a reader."""
    time.sleep(0.5)


def clicking(desk: Desk, selector: str) -> Callable[[], None]:
    """Click at once on what is visible, so that nothing is loaded ahead."""
    x, y = desk.page.do(
        f"((box) => [box.x + box.width / 2, box.y + box.height / 2])"
        f"(document.querySelector('{selector}').getBoundingClientRect())"
    )

    def click() -> None:
        desk.page.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        for kind in ("mousePressed", "mouseReleased"):
            desk.page.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    return click


def unfold(page: Page) -> None:
    """Open all components of a form."""
    folded = "main section.item > header > button[aria-expanded=false]"
    page.do(f"document.querySelectorAll('{folded}').forEach((one) => one.click())")
    settle()


def typing(desk: Desk, watch: Watch) -> Taken:
    """Return the time that a key takes in the main thread. Waiting for a frame does not count."""
    desk.do("document.getElementById('field.field10').focus()")
    desk.do("document.getElementById('field.field10').select()")
    times: list[float] = []
    for _ in range(KEYS):
        before = watch.thread()
        letter = choice(ascii_lowercase)  # a different text each time, so that there is something to save
        desk.page.send("Input.dispatchKeyEvent", type="keyDown", key=letter, text=letter)
        desk.page.send("Input.dispatchKeyEvent", type="keyUp", key=letter)
        desk.page.do("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        times.append(watch.thread() - before)
    return Taken(median(times), max(times), 0, 0, 0)


def saving(desk: Desk, watch: Watch) -> Taken:
    """Measure from `Ctrl S` until the page reports the save, without the response time of the service."""
    there = "document.body.innerText.includes('Saved')"
    taken = watch.following(lambda: desk.press("s", control=True), "keydown", there)
    return Taken(
        taken.painted - watch.server("form.form/1"), taken.thread, taken.script, taken.requests, taken.kilobytes
    )


def table_of(found: Found) -> Table:
    """Return a table of the times until painted, and of the use of the main thread and the network."""
    heads = ("", "goal", "least ms", "median ms", "thread ms", "script ms", "requests", "kB")
    table = Table(*heads, title="Milliseconds until visible")
    for name, taken in found.items():
        best = min(taken, key=lambda one: one.painted)
        goal = f"{GOALS[name]}" if GOALS[name] else ""
        figures = (best.painted, median(one.painted for one in taken), median(one.thread for one in taken))
        script = median(one.script for one in taken)
        table.add_row(
            name, goal, *(f"{one:.1f}" for one in (*figures, script)), f"{best.requests}", f"{best.kilobytes:.1f}"
        )
    for column in table.columns[1:]:
        column.justify = "right"
    return table


if __name__ == "__main__":
    main()
