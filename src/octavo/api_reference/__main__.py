"""Print the page: `python -m octavo.api_reference > docs/python-api.md`."""

import sys

from octavo.api_reference import render_reference

sys.stdout.write(render_reference())
