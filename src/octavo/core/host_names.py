"""Normalize host names and addresses of settings and requests to the form that browsers send."""

import re
from ipaddress import ip_address
from typing import Final

ANY: Final = "*"
HOST_NAME: Final = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*", re.ASCII)


def read_host(text: str) -> str:
    """Return a host from the settings as browsers send it, without a port. Raises ValueError if it is invalid.

    >>> read_host("CMS.Example."), read_host("[FD00:0::1]"), read_host("m\u00fcnchen.example"), read_host("*.a.example")
    ('cms.example', 'fd00::1', 'xn--mnchen-3ya.example', '*.a.example')
    """
    if text == ANY:
        return text
    address = read_address(text.removeprefix("[").removesuffix("]"))
    if address is not None:
        return address
    star, name = ("*.", text[2:]) if text.startswith("*.") else ("", text)
    try:
        name = name.encode("idna").decode().lower().removesuffix(".")
    except UnicodeError:
        name = ""
    if not HOST_NAME.fullmatch(name):
        raise ValueError(
            f"{text!r} is not a host: expected a name, an IP address, or *.example.com, without scheme and port"
        )
    return star + name


def read_address(text: str) -> str | None:
    """Return an IP address in its canonical form, or None if it is invalid."""
    try:
        return str(ip_address(text))
    except ValueError:
        return None
