"""Trusted proxies."""

import pytest

from octavo.api.http.proxies import TrustedProxies


@pytest.mark.parametrize(
    "networks, address, trusted",
    [
        ((), "10.0.0.7", False),
        (("10.0.0.7",), "10.0.0.7", True),
        (("10.0.0.0/8",), "10.1.2.3", True),
        (("10.0.0.7/8",), "10.1.2.3", True),
        (("10.0.0.0/8",), "11.1.2.3", False),
        (("10.0.0.0/8",), "::ffff:10.1.2.3", True),
        (("fc00::/7", "10.0.0.0/8"), "fd00::1", True),
        (("10.0.0.0/8",), "fd00::1", False),
        (("0.0.0.0/0",), "unknown", False),
        (("0.0.0.0/0",), "", False),
    ],
)
def test_addresses_and_networks_are_believed(networks: tuple[str, ...], address: str, trusted: bool) -> None:
    assert (address in TrustedProxies(networks)) is trusted


def test_invalid_networks_are_refused() -> None:
    with pytest.raises(ValueError, match=r"proxy\.example"):
        TrustedProxies(("proxy.example",))
