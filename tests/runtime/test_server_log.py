"""The log of a server."""

import logging

import httpx2
import pytest

from octavo.runtime.server import _log


def test_addresses_that_are_asked_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    _log()
    transport = httpx2.MockTransport(lambda request: httpx2.Response(200))
    with httpx2.Client(transport=transport) as client:
        client.post("https://chat.example.org/services/secret")
    assert "secret" not in caplog.text
