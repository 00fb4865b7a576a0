"""Screenshots of every admin page, in both themes and three widths.

    python -m tests.pages.pictures FOLDER [--only NAME] [--docs] [--right-to-left]

Starts a server for the sample project. Files are called `PAGE-WIDTH-THEME.webp`; missing pages are reported. `--docs`
takes only those in docs/pictures: one for each width, and for each theme that looks different.
"""

import argparse
import base64
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests import browser
from tests.cli.processes import serving
from tests.pages.desk import ADA, Desk
from tests.pages.places import OUTSIDE, PLACES, THEMES, WIDTHS, Place, visit
from tests.pages.sample import FIRST, RIGHT_TO_LEFT, magazine
from tests.panel.editor import Unseen

_HEIGHTS = {390: 844, 1024: 768, 1600: 1000}
ARTICLES = "/content-manager/collection-types/api::article.article"
_TALLEST = 3000
"""Maximum height in pixels."""
_TALLEST_IN_DOCS = 1400
_QUALITY = 75
_OF_DOCS = frozenset({(1600, "light"), (1600, "dark"), (1024, "dark"), (390, "light")})


def main() -> int:
    """Take all screenshots; return 1 if a page is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--right-to-left", action="store_true", help="as in a language that is written so")
    parser.add_argument("--docs", action="store_true")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    command = browser.find_browser()
    if command is None:
        sys.exit(browser.MISSING)
    with tempfile.TemporaryDirectory() as name:
        project = magazine(Path(name), RIGHT_TO_LEFT if asked.right_to_left else None)
        with (
            serving("develop", project, "--seed", **FIRST) as server,
            browser.open_page(command, Path(name) / "browser", 3600.0) as page,
        ):
            desk = Desk(page, f"http://127.0.0.1:{server.port}", asked.folder)
            if asked.right_to_left:
                desk.speak(RIGHT_TO_LEFT)
            missing = take(desk, OUTSIDE, asked.only, of_docs=asked.docs)
            desk.log_in(ADA)
            schedule_articles(desk)
            missing += take(desk, PLACES, asked.only, of_docs=asked.docs)
    for line in missing:
        sys.stderr.write(f"{line}\n")
    return 1 if missing else 0


def schedule_articles(desk: Desk) -> None:
    """Schedule some articles, for the calendar: drafts will be published, and others unpublished."""
    first = datetime.now(UTC).replace(day=1, hour=9, minute=0, second=0, microsecond=0) + timedelta(days=32)
    articles = desk.ask("GET", f"{ARTICLES}?pageSize=12&sort=publishedAt:ASC")["results"]
    for number, article in enumerate(articles):
        due = first.replace(day=2 + 2 * number, hour=8 + number).isoformat()
        plan = "unpublishAt" if article["publishedAt"] else "publishAt"
        desk.ask("PUT", f"/octavo/schedules/api::article.article/{article['id']}", {plan: due})


def take(desk: Desk, places: dict[str, Place], only: str, *, of_docs: bool) -> list[str]:
    """Take screenshots of these pages and return the problems."""
    missing = []
    for name, place in places.items():
        if only not in name:
            continue
        try:
            visit(desk, place)
            if name == "calendar":
                desk.click("Next")
                desk.until("document.querySelector('[data-day] .entry')", "schedules")
            desk.gone("Loading")
            for width in WIDTHS:
                desk.size(width, _HEIGHTS[width])
                for theme in THEMES:
                    if of_docs and (width, theme) not in _OF_DOCS:
                        continue
                    desk.theme(theme)
                    desk.settle()
                    keep(desk, f"{name}-{width}-{theme}", _HEIGHTS[width], _TALLEST_IN_DOCS if of_docs else _TALLEST)
        except Unseen as error:
            missing.append(f"{name}: {error}")
    return missing


def keep(desk: Desk, name: str, height: int, tallest: int) -> None:
    """Save a screenshot of the whole page, up to the maximum height."""
    width, whole = desk.page.do("[innerWidth, document.documentElement.scrollHeight]")
    clip = {"x": 0, "y": 0, "width": width, "height": min(max(whole, height), tallest), "scale": 1}
    taken = desk.page.send(
        "Page.captureScreenshot", format="webp", quality=_QUALITY, captureBeyondViewport=True, clip=clip
    )
    (desk.pictures / f"{name}.webp").write_bytes(base64.b64decode(taken["data"]))


if __name__ == "__main__":
    sys.exit(main())
