"""Checks: what an editor's day is made of, by name and in their order. Later ones stand on earlier ones."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.panel.editor import WAIT, Editor

Check = Callable[[Editor], None]
CHECKS: dict[str, Check] = {}


def check(name: str) -> Callable[[Check], Check]:
    """Add a function as the check of that name."""

    def add(function: Check) -> Check:
        CHECKS[name] = function
        return function

    return add


def visit(name: str, path: str, *texts: str, seconds: float = WAIT) -> None:
    """Add a check of that name: a page of the panel shows these texts."""

    @check(name)
    def _(editor: Editor) -> None:
        editor.open(path)
        editor.see(*texts, seconds=seconds)


@dataclass(frozen=True, slots=True)
class Person:
    """Who logs in."""

    email: str
    password: str


ADA = Person("ada@admin.example", "Ada-Passw0rd1")
ENTRIES = "/admin/content-manager/collection-types"


def log_in(editor: Editor, person: Person) -> None:
    """From whatever page to the home page of a user."""
    editor.do("(localStorage.clear(), sessionStorage.clear(), document.cookie='jwtToken=; Max-Age=0; path=/')")
    editor.open("/admin/auth/login")
    editor.see("Welcome")
    editor.fill("Email", person.email)
    editor.fill("Password", person.password)
    editor.click("Login")
    editor.see("Content Manager")


def open_list(editor: Editor, uid: str) -> None:
    """The list of a content-type."""
    editor.open(f"{ENTRIES}/{uid}")
    editor.see("found")


def confirm(editor: Editor) -> None:
    """Say yes in a dialog."""
    editor.click("onfirm", exact=False)
