"""Tests of a project: the whole service in the test's own process, on a database that begins anew with each test.

`pytest_plugins = ["octavo.testing.plugin"]` in `conftest.py` gives the fixture `site`; `open_site` is the same for
whoever has fixtures of their own.
"""

from octavo.testing.client import Answer, GraphqlFailed
from octavo.testing.entries import CannotMake
from octavo.testing.site import NotDelivered, Site, User, open_site

__all__ = ["Answer", "CannotMake", "GraphqlFailed", "NotDelivered", "Site", "User", "open_site"]
