"""Parsing DATABASE_URL."""

import pytest

from octavo.settings.database_url import EXPECTED, read_database_url

POSTGRES = {"client": "postgres", "name": "n"}
MYSQL = {"client": "mysql", "name": "n"}


@pytest.mark.parametrize(
    "url, parts",
    [
        ("sqlite:///data/a.db", {"client": "sqlite", "filename": "data/a.db"}),
        ("sqlite:////data/a.db", {"client": "sqlite", "filename": "/data/a.db"}),
        ("sqlite:///a%20b.db", {"client": "sqlite", "filename": "a b.db"}),
        ("postgres://h/n", {**POSTGRES, "host": "h"}),
        (
            "postgresql://ann:p%40ss@h.example:6432/n?sslmode=verify-full",
            {**POSTGRES, "host": "h.example", "port": "6432", "user": "ann", "password": "p@ss", "ssl": "verify-full"},
        ),
        ("postgres://u@[::1]:1/n", {**POSTGRES, "host": "::1", "port": "1", "user": "u"}),
        ("postgres://u@a:1,[::1]:2/n", {**POSTGRES, "host": "a:1,[::1]:2", "user": "u"}),
        ("postgres://u:@/n?host=/run/pg", {**POSTGRES, "host": "/run/pg", "user": "u"}),
        (
            "mysql://u:p%40@h:3307/n?ssl=require",
            {**MYSQL, "host": "h", "port": "3307", "user": "u", "password": "p@", "ssl": "require"},
        ),
        ("mariadb://u@/n?host=/run/mysqld/mysqld.sock", {**MYSQL, "host": "/run/mysqld/mysqld.sock", "user": "u"}),
        *(
            (f"mysql://h/n?{given}", {**MYSQL, "host": "h", "ssl": mode})
            for given, mode in (
                ("ssl=true", "require"),
                ("ssl=1", "require"),
                ("ssl=false", "disable"),
                ("ssl-mode=REQUIRED", "require"),
                ("ssl-mode=VERIFY_IDENTITY", "verify-full"),
                ("ssl_mode=verify_ca", "verify-ca"),
                ("sslmode=require&ssl=false", "require"),
            )
        ),
        ("postgres://h/n?schema=blog&application_name=x", {**POSTGRES, "host": "h", "schema": "blog"}),
    ],
)
def test_urls(url: str, parts: dict[str, str]) -> None:
    assert read_database_url(url) == parts


@pytest.mark.parametrize(
    "url, expected",
    [
        ("oracle://h/n", EXPECTED),
        ("data.db", EXPECTED),
        ("postgres://u:pa/ss@h/n", EXPECTED),
        ("postgres://[h/n", EXPECTED),
        ("sqlite://data.db", "sqlite:///relative/to/project or sqlite:////absolute"),
        ("sqlite:///", "sqlite:///relative/to/project or sqlite:////absolute"),
        ("mysql://h/n?ssl=yes", "one of disable, prefer, require, verify-ca, verify-full for ssl"),
        ("postgres://h", "the name of the database at the end of the URL"),
        ("postgres://h/a/b", "the name of the database at the end of the URL"),
    ],
)
def test_refused_urls(url: str, expected: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the text is asserted below
        read_database_url(url)
    assert str(caught.value) == expected
