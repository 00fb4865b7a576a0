"""Checks: an editor's day as named functions in order. Later ones depend on earlier ones."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.panel.editor import WAIT, Editor

Check = Callable[[Editor], None]
CHECKS: dict[str, Check] = {}


def check(name: str) -> Callable[[Check], Check]:
    """Register a function as the check with this name."""

    def add(function: Check) -> Check:
        CHECKS[name] = function
        return function

    return add


def visit(name: str, path: str, *texts: str, seconds: float = WAIT) -> None:
    """Add a check that a page of the panel shows these texts."""

    @check(name)
    def _(editor: Editor) -> None:
        editor.open(path)
        editor.see(*texts, seconds=seconds)


@dataclass(frozen=True, slots=True)
class Person:
    """A user's credentials."""

    email: str
    password: str


ADA = Person("ada@admin.example", "Ada-Passw0rd1")
ENTRIES = "/admin/content-manager/collection-types"


def log_in(editor: Editor, person: Person) -> None:
    """Sign in from any page."""
    editor.do("(localStorage.clear(), sessionStorage.clear(), document.cookie='jwtToken=; Max-Age=0; path=/')")
    editor.open("/admin/auth/login")
    editor.see("Welcome")
    editor.fill("Email", person.email)
    editor.fill("Password", person.password)
    editor.click("Login")
    editor.see("Content Manager")


def open_list(editor: Editor, uid: str) -> None:
    """Open the list of a content type."""
    editor.open(f"{ENTRIES}/{uid}")
    editor.see("found")


def confirm(editor: Editor) -> None:
    """Confirm a dialog."""
    editor.click("onfirm", exact=False)
