"""An editor's day in v4's panel, built and unmodified, on any service: named checks in one browser.

    python -m tests.panel.day http://127.0.0.1:1337 [--only NAME] [--pictures FOLDER]

The content is that of the recordings with administrators. It needs a browser, and a service with that panel (in Octavo
`admin.panel = "project"`), so it is not part of the test suite.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

import tests.panel.day_administration
import tests.panel.day_content  # noqa: F401 - both add their checks
from tests import browser
from tests.panel.checks import CHECKS
from tests.panel.editor import Editor


def main() -> int:
    """Run the day; return 1 if a check fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base")
    parser.add_argument("--only", default="")
    parser.add_argument("--pictures", type=Path)
    asked = parser.parse_args()
    command = browser.find_browser()
    if command is None:
        sys.exit(browser.MISSING)
    chosen = {name: run for name, run in CHECKS.items() if asked.only in name or name == "log in"}
    passed = 0
    with tempfile.TemporaryDirectory() as folder, browser.open_page(command, Path(folder), 3600.0) as page:
        page.send("Emulation.setDeviceMetricsOverride", width=1400, height=1400, deviceScaleFactor=1, mobile=False)
        editor = Editor(page, asked.base, asked.pictures)
        for name, run in chosen.items():
            began = time.monotonic()
            try:
                run(editor)
            except AssertionError as error:
                print(f"FAILED  {name}: {error}", flush=True)
                editor.picture(f"failed-{name.replace(' ', '-')}")
                if name == "log in":
                    break
            else:
                passed += 1
                print(f"ok      {name} ({time.monotonic() - began:.1f} s)", flush=True)
    print(f"{passed} of {len(chosen)} checks")
    return 0 if passed == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
