"""Cookies as browsers send them, and which origins count as the site's own."""

import pytest

from octavo.api.http.cookies import Cookie, read_cookies
from octavo.api.http.cors import is_own_page, origins_of
from tests.api.http.asgi import request_of


@pytest.mark.parametrize(
    "headers, expected",
    [
        ([], {}),
        ([("Cookie", "a=1; b=2")], {"a": "1", "b": "2"}),
        ([("Cookie", "a=1"), ("Cookie", "b=2;c=3=4")], {"a": "1", "b": "2", "c": "3=4"}),
        ([("Cookie", "a=1; a=2")], {"a": "1"}),
        ([("Cookie", ";; a ;=;b=")], {"": "", "b": ""}),
        ([("Cookie", "é=ü")], {"é": "ü"}),
    ],
)
def test_reading(headers: list[tuple[str, str]], expected: dict[str, str]) -> None:
    assert read_cookies(request_of(headers=headers)) == expected


def test_setting_and_dropping_have_the_same_attributes() -> None:
    cookie = Cookie("a", True, "/api", "Strict")
    name, value = cookie.set("1", 60)
    assert (name, value) == (b"set-cookie", b"a=1; Max-Age=60; Path=/api; HttpOnly; SameSite=Strict; Secure")
    _, dropped = cookie.drop()
    assert dropped.startswith(b"a=; Max-Age=0; ")
    assert dropped.partition(b"; Path")[2] == value.partition(b"; Path")[2]


@pytest.mark.parametrize(
    "headers, own",
    [
        ({}, True),
        ({"Origin": "https://front.example"}, True),
        ({"Origin": "HTTPS://FRONT.example", "Sec-Fetch-Site": "cross-site"}, True),
        ({"Origin": "http://front.example"}, False),
        ({"Origin": "https://front.example:8443"}, False),
        ({"Origin": "https://api.example", "Host": "api.example"}, True),
        ({"Origin": "https://api.example:1", "Host": "api.example"}, False),
        ({"Origin": "null", "Host": "null"}, False),
        ({"Sec-Fetch-Site": "same-origin"}, True),
        ({"Sec-Fetch-Site": "none"}, True),
        ({"Sec-Fetch-Site": "same-site"}, False),
        ({"Sec-Fetch-Site": "cross-site"}, False),
    ],
)
def test_own_origins(headers: dict[str, str], own: bool) -> None:
    assert is_own_page(request_of(headers=headers.items()), origins_of(["https://front.example/shop"])) is own
