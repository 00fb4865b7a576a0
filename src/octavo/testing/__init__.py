"""Test support for projects: run the whole service in the test process, on a database that is reset before each test.

`pytest_plugins = ["octavo.testing.plugin"]` in `conftest.py` provides the fixture `site`. Use `open_site` to build
custom fixtures.
"""

from octavo.testing.client import Answer, GraphqlFailed
from octavo.testing.entries import CannotMake
from octavo.testing.site import NotDelivered, Site, User, open_site

__all__ = ["Answer", "CannotMake", "GraphqlFailed", "NotDelivered", "Site", "User", "open_site"]
