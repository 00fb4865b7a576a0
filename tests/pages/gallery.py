"""Screenshots of the gallery of components (`admin/gallery`), reduced so that they are equal on different machines.

    python -m tests.pages.gallery

This command updates the expected screenshots in `tests/pages/gallery`, after a change of a component or token.
"""

import base64
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

from PIL import Image, ImageChops

from tests import browser
from tests.cli.processes import ROOT
from tests.panel.editor import Editor

EXPECTED: Final = Path(__file__).with_name("gallery")
"""One PNG for each group and theme, a quarter of its width and height."""
ADMIN: Final = ROOT / "admin"
VITE: Final = ADMIN / "node_modules/vite/bin/vite.js"
THEMES: Final = ("light", "dark")
GROUPS: Final = ("Buttons", "Text controls", "Choices", "Lists", "Content", "Menu", "Dialog")
SIZE: Final = (1200, 700)
REDUCTION: Final = 4
REGION: Final = 4
"""Pixels of a reduced screenshot that are compared as one region: 16 pixels of the page."""
TOLERANCE: Final = 13
"""How much the mean of a color channel in a region can differ, of 255. Edges of letters depend on the browser: without
subpixel positioning of letters, means differ by up to 12."""
_HEIGHT_TOLERANCE: Final = 1
_LAYERS: Final = ("Menu", "Dialog")
_STILL: Final = """document.fonts.ready.then(() => {
  document.activeElement?.matches('[role=gridcell] button') && document.activeElement.blur();
  for (const one of document.getAnimations()) {
    const { iterations, delay } = one.effect.getTiming();
    if (iterations === Infinity) one.pause(), (one.currentTime = delay);
    else one.finish();
  }
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))));
})"""
_FORCED: Final = """(document.documentElement.style.setProperty('--mono', 'var(--font)'),
  [...document.querySelectorAll('[data-force]')].map((sample) =>
    sample.querySelector(`.row :is(${sample.dataset.on})`).setAttribute('data-forced', sample.dataset.force)).length)"""


class _Files(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


def build_gallery(folder: Path) -> None:
    """Build the gallery with the packages in `admin/node_modules`."""
    command = ["node", str(VITE), "build", "--config", "vite.gallery.ts", "--logLevel", "error"]
    subprocess.run(command, cwd=ADMIN, env={**os.environ, "OCTAVO_GALLERY": str(folder)}, check=True)


def can_build() -> bool:
    """Return whether Node.js and the packages are installed."""
    return VITE.is_file() and shutil.which("node") is not None


@contextmanager
def serve_gallery(folder: Path) -> Iterator[str]:
    """Serve a built gallery; its URL."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Files, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@dataclass(frozen=True, slots=True)
class Gallery:
    """The gallery in a browser."""

    page: browser.Page
    editor: Editor

    def open(self, theme: str) -> None:
        """Open the gallery in a theme, with all states that samples ask for."""
        send = self.page.send
        width, height = SIZE
        send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        self.editor.open("/index.html")
        self.editor.until(_FORCED, "samples")
        send("DOM.enable")
        send("CSS.enable")
        root = send("DOM.getDocument", depth=0)["root"]["nodeId"]
        for state in ("hover", "focus-visible"):
            found = send("DOM.querySelectorAll", nodeId=root, selector=f"[data-forced={state}]")["nodeIds"]
            for node in found:
                send("CSS.forcePseudoState", nodeId=node, forcedPseudoClasses=[state])

    def screenshot(self, group: str) -> Image.Image:
        """Take the screenshot of a group, or of the window with a menu or dialog, and reduce it."""
        self.page.do(_STILL)
        clip = {"x": 0, "y": 0, "width": SIZE[0], "height": SIZE[1]}
        if group not in _LAYERS:
            box = f"document.querySelector('[data-group={json.dumps(group)}]').getBoundingClientRect()"
            x, y, width, height = self.page.do(
                f"((box) => [box.x + scrollX, box.y + scrollY, box.width, box.height].map(Math.round))({box})"
            )
            clip = {"x": x, "y": y, "width": width, "height": height}
        taken = self.page.send(
            "Page.captureScreenshot",
            format="png",
            captureBeyondViewport=group not in _LAYERS,
            clip={**clip, "scale": 1},
        )
        with Image.open(io.BytesIO(base64.b64decode(taken["data"]))) as image:
            return image.convert("RGB").reduce(REDUCTION)

    def screenshots(self, theme: str) -> Iterator[tuple[str, Image.Image]]:
        """Take the screenshots of all groups in a theme."""
        self.open(theme)
        for group in GROUPS[: -len(_LAYERS)]:
            yield group, self.screenshot(group)
        self.page.do("scrollTo(0, 0)")
        self.editor.click("Show notification")
        self.editor.click("Show error")
        self.editor.click("Open menu")
        self.editor.until("document.querySelectorAll('[role=menuitem]').length === 3", "the menu")
        yield "Menu", self.screenshot("Menu")
        self.editor.press("Escape")
        self.editor.until("!document.querySelector('[role=menuitem]')", "no menu")
        self.editor.click("Open dialog")
        self.editor.until("document.querySelector('[role=dialog] .toasts')", "the dialog with notifications")
        yield "Dialog", self.screenshot("Dialog")

    def plant(self, token: str, value: str | None) -> None:
        """Change a token in the page; with None, restore it."""
        script = f"document.documentElement.style.setProperty({json.dumps(token)}, {json.dumps(value or '')})"
        self.page.do(f"({script}, 0)")


def expected_path(group: str, theme: str) -> Path:
    """Return the path of an expected screenshot."""
    return EXPECTED / f"{group.lower().replace(' ', '-')}-{theme}.png"


def read_expected(group: str, theme: str) -> Image.Image:
    """Read an expected screenshot."""
    with Image.open(expected_path(group, theme)) as image:
        return image.convert("RGB")


def difference(found: Image.Image, expected: Image.Image) -> str:
    """Return how a screenshot differs from the expected one; empty if all regions are within the tolerance."""
    (width, height), wanted = found.size, expected.size
    if width != wanted[0] or abs(height - wanted[1]) > _HEIGHT_TOLERANCE:
        return f"{width} x {height} instead of {wanted[0]} x {wanted[1]}, in units of {REDUCTION} pixels"
    both = (0, 0, width, min(height, wanted[1]))
    one, other = (image.crop(both).reduce(REGION) for image in (found, expected))
    # The largest difference of a channel, as gray.
    red, green, blue = ImageChops.difference(one, other).split()
    channels = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    strong = channels.point(lambda level: 255 if level > TOLERANCE else 0)
    region = strong.getbbox()
    if region is None:
        return ""
    scale = REDUCTION * REGION
    left, top, right, bottom = (edge * scale for edge in region)
    count = strong.histogram()[255]
    return f"{count} regions differ, by up to {channels.getextrema()[1]}, at {left},{top} to {right},{bottom}"


def main() -> None:
    """Update the expected screenshots."""
    command = browser.find_browser()
    if command is None:
        sys.exit(browser.MISSING)
    EXPECTED.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build_gallery(folder / "built")
        with serve_gallery(folder / "built") as url, browser.open_page(command, folder / "browser") as page:
            gallery = Gallery(page, Editor(page, url))
            for theme in THEMES:
                for group, image in gallery.screenshots(theme):
                    image.quantize(256, kmeans=2, dither=Image.Dither.NONE).save(
                        expected_path(group, theme), optimize=True
                    )


if __name__ == "__main__":
    main()
