"""`octavo admin`: create and list administrators, and reset passwords, on each database."""

from pathlib import Path

import bcrypt
import pytest

from octavo.accounts.administrators.provisioning import ensure_first_administrator
from octavo.database.connection import Database
from octavo.operations.runtime.prepare_database import prepare_database
from octavo.schema.loader import load_registry
from octavo.settings import SettingsError, load_settings
from tests.cli.conftest import Call, answered, refused, said
from tests.cli.projects import make_project

GOOD = "Str0ng-enough"
ANN = {
    "id": 1,
    "email": "ann@example.org",
    "firstname": "Ann",
    "lastname": "Lee",
    "roles": ["strapi-super-admin"],
    "active": True,
    "blocked": False,
}


def make(call: Call, email: str = "Ann@example.org", *options: str, password: str = GOOD) -> list[str]:
    arguments = ("admin", "create-user", email, "--password-stdin", *options)
    return said(call(*arguments, input=f"{password}\n"))


def test_create_and_list(call: Call) -> None:
    made = make(call, "Ann@example.org", "--firstname", "Ann", "--lastname", "Lee")
    assert made == ["Created the administrator Ann@example.org with the ID 1."]
    asked = said(call("admin", "create-user", "ben@example.org", "--role", "editor", input=f"{GOOD}\n" * 2))
    assert asked[-1] == "Created the administrator ben@example.org with the ID 2."
    assert GOOD not in "".join(asked)
    arguments = ("admin", "create-user", "cy@example.org", "--role", "Author", "--json", "--password-stdin")
    assert answered(call(*arguments, input=GOOD)) == {"id": 3, "email": "cy@example.org", "role": "Author"}
    listed = answered(call("admin", "list", "--json"))
    assert listed[0] == ANN
    assert [(one["firstname"], one["roles"]) for one in listed[1:]] == [
        ("ben", ["strapi-editor"]),
        ("cy", ["strapi-author"]),
    ]
    assert said(call("admin", "list"))[1].split() == [
        "1",
        "ann@example.org",
        *["Ann", "Lee", "Super", "Admin", "yes", "no"],
    ]


def test_the_password_comes_from_the_environment(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCTAVO_ADMIN_PASSWORD", GOOD)
    assert said(call("admin", "create-user", "ann@example.org"))[-1].startswith("Created the administrator")


def test_reset_password(call: Call) -> None:
    make(call)
    reported = said(call("admin", "reset-password", "ANN@example.org", "--password-stdin", input="Other-Passw0rd\n"))
    assert reported == ["Changed the password of ANN@example.org."]
    answer = answered(
        call("admin", "reset-password", "ann@example.org", "--password-stdin", "--json", input="Third-Passw0rd\n")
    )
    assert answer == {"email": "ann@example.org"}


@pytest.mark.parametrize(
    "email, password, options, message",
    [
        ("ann@example.org", GOOD, (), "An administrator with the email address ann@example.org already exists"),
        ("nonsense", GOOD, (), "'nonsense' is not an email address"),
        ("b@example.org", GOOD, ("--role", "poet"), "No administrator role is named 'poet'"),
        ("b@example.org", "Sh0rt", (), "A password must have at least 8 characters"),
        ("b@example.org", "", (), "A password must have at least 8 characters"),
        ("b@example.org", "lowercase", (), "A password must contain an uppercase letter, a digit"),
        ("b@example.org", "Aa1" + "é" * 36, (), "A password must have at most 72 bytes"),
        ("b@example.org", GOOD, ("--firstname", "x" * 256), "A name must have at most 255 characters and no NUL"),
    ],
)
def test_invalid_administrators_are_refused(
    call: Call, email: str, password: str, options: tuple[str, ...], message: str
) -> None:
    make(call)
    result = call("admin", "create-user", email, "--password-stdin", *options, input=f"{password}\n")
    assert refused(result) == message
    assert len(answered(call("admin", "list", "--json"))) == 1


def test_passwords_of_unknown_administrators_are_refused(call: Call) -> None:
    result = call("admin", "reset-password", "nobody@example.org", "--password-stdin", input=f"{GOOD}\n")
    assert refused(result) == "No administrator has the email address nobody@example.org"


@pytest.mark.usefixtures("usual_password_cost")
@pytest.mark.anyio
async def test_the_first_administrator_is_created_once(database: Database, tmp_path: Path) -> None:
    """Variables create only the first administrator, and never overwrite a password."""
    await prepare_database(database, load_registry(make_project(tmp_path / "other")), "en")
    assert await ensure_first_administrator(database, "Ann@example.org", GOOD)
    assert not await ensure_first_administrator(database, "ann@example.org", "Other-Passw0rd")
    assert not await ensure_first_administrator(database, "ben@example.org", "nonsense")
    rows = await database.fetch_all("SELECT email, password FROM admin_users")
    assert [row[0] for row in rows] == ["ann@example.org"]
    assert rows[0][1].startswith("$2a$10$")
    assert bcrypt.checkpw(GOOD.encode(), rows[0][1].encode())


def test_the_settings_name_both_or_neither(project: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(project, {"OCTAVO_ADMIN__FIRST__EMAIL": "ann@example.org"})
    assert [str(problem) for problem in caught.value.problems] == [
        "config/admin.toml: first.password: expected both email address and password, or neither"
    ]
