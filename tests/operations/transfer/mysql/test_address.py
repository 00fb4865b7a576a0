"""URLs of MySQL databases, and time zones."""

import ssl
from datetime import datetime, timedelta
from typing import Any

import pytest

from octavo.operations.transfer.mysql.address import MysqlAddress, read_address, read_zone


def address(**parts: Any) -> MysqlAddress:
    defaults: dict[str, Any] = {
        "host": "localhost",
        "port": 3306,
        "name": "n",
        "user": None,
        "password": None,
        "socket": None,
        "encryption": "prefer",
    }
    return MysqlAddress(**(defaults | parts))


@pytest.mark.parametrize(
    "url, expected",
    [
        ("mysql://h/n", address(host="h")),
        ("mariadb://u%40x:p%2F%25@h:1/n%20m", address(host="h", port=1, name="n m", user="u@x", password="p/%")),
        ("mysql:///n?socket=/run/my%20sql.sock&other=1", address(socket="/run/my sql.sock")),
        ("mysql://[::1]/n?ssl=verify-full", address(host="::1", encryption="verify-full")),
        ("mysql://h/n?ssl=true", address(host="h", encryption="require")),
        ("mysql://h/n?ssl-mode=REQUIRED", address(host="h", encryption="require")),
    ],
)
def test_urls(url: str, expected: MysqlAddress) -> None:
    assert read_address(url, {}) == expected


def test_the_password_can_be_in_a_variable() -> None:
    environment = {"MYSQL_PWD": "of the variable"}
    assert read_address("mysql://u@h/n", environment).password == "of the variable"
    assert read_address("mysql://u:p@h/n", environment).password == "p"
    assert str(read_address("mysql://u:p@h/n")) == "MySQL at h:3306, database n"


@pytest.mark.parametrize(
    "url, message",
    [
        ("mysql://h", "the name of the database is missing"),
        ("mysql://h/a/b", "the name of the database is missing"),
        ("mysql://u:secret@h:port/n", "expected a URL such as"),
        ("mysql://u:secret@h/n?ssl=maybe", "ssl: expected one of disable, prefer, require, verify-ca, verify-full"),
    ],
)
def test_other_urls(url: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as refused:
        read_address(url, {})
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    "mode, expected",
    [
        ("disable", [None]),
        ("prefer", [(ssl.CERT_NONE, False), None]),
        ("require", [(ssl.CERT_NONE, False)]),
        ("verify-ca", [(ssl.CERT_REQUIRED, False)]),
        ("verify-full", [(ssl.CERT_REQUIRED, True)]),
    ],
)
def test_encryption(mode: str, expected: list[tuple[ssl.VerifyMode, bool] | None]) -> None:
    contexts = address(encryption=mode).ssl_contexts()
    assert [each and (each.verify_mode, each.check_hostname) for each in contexts] == expected


@pytest.mark.parametrize(
    "name, hours", [("UTC", 0), ("Z", 0), ("+02:00", 2), ("-0330", -3.5), ("Asia/Tokyo", 9), ("utc", 0)]
)
def test_time_zones(name: str, hours: float) -> None:
    assert datetime(2024, 1, 1, tzinfo=read_zone(name)).utcoffset() == timedelta(hours=hours)


@pytest.mark.parametrize("name", ["Mars/Olympus", "", "+25:99", "../etc/passwd"])
def test_other_time_zones(name: str) -> None:
    with pytest.raises(ValueError, match="unknown time zone"):
        read_zone(name)
