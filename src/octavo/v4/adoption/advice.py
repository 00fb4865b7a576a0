"""What an owner can do about code that is not run, by its kind; and the commands, with the way back."""

import os
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from octavo.v4.adoption.report import CodeItem, Report
from octavo.v4.code import Kind

_PORT: Final = "write it in Python under the same name"
_BESIDE: Final = "or send its addresses on to the v4 service: your proxy decides by the path"
_ADVICE: Final = {
    Kind.ROUTE: f"routes are taken over; handlers of your own answer 501 until they are Python, {_BESIDE}.",
    Kind.ACTION: f"{_PORT}, `src/api/NAME/controllers/NAME.py`; its routes then lead to it.",
    Kind.CONTROLLER: "a controller that cannot be read: its routes stay closed until it is Python.",
    Kind.SERVICE: f"{_PORT}, `src/api/NAME/services/NAME.py`, where other code calls it.",
    Kind.POLICY: f"{_PORT}, `src/policies/NAME.py`; what it guards is open from then on to those it lets through.",
    Kind.MIDDLEWARE: f"{_PORT}, `src/middlewares/NAME.py`, or leave what it did for requests to your proxy.",
    Kind.HOOK: (
        f"{_PORT}, `src/api/NAME/content-types/NAME/lifecycles.py`; a slug is a `uid` field, a fixed value a `default`."
    ),
    Kind.CRON: "write it as a task in `src/cron.py`, at the same times.",
    Kind.START: "code at start is written in Python, in `src/index.py`: `register(app)`, `bootstrap(app)`.",
    Kind.GRAPHQL: "types, fields and resolvers are written in Python, in `register(app)`.",
    Kind.EXTENSION: f"{_PORT}, below `src/extensions/PLUGIN`; what it replaced stays closed until then.",
    Kind.PLUGIN: f"a local plugin does not run; write it in Python in the same folder (docs/plugins.md), {_BESIDE}.",
    Kind.MIGRATION: "a migration of the project's own is done once; those that v4 has run need nothing.",
    Kind.UNREADABLE: "a file that cannot be read; correct it, or remove it.",
}
_PAGES: Final = (
    "How each looks in Python: docs/from-strapi-v4.md, Porting code, and docs/extending.md. "
    "`octavo adopt --drafts FOLDER` writes much of it for you to review."
)


def advice(code: Iterable[CodeItem]) -> Iterator[str]:
    """A sentence for each kind that is there, and where to read on."""
    kinds = {item.kind for item in code}
    known = [f"{kind.value}: {says}" for kind, says in _ADVICE.items() if kind.value in kinds]
    yield from known
    if known:
        yield _PAGES


def allowing(report: Report) -> str:
    """What opens all that is closed, as it stands in `config/api.toml`."""
    names = ", ".join(f'"{name}"' for name in dict.fromkeys(item.guard for item in report.closed))
    return f"[adoption]\nallow = [{names}]"


def commands(report: Report) -> tuple[tuple[str, str], ...]:
    """The next steps: what to type where the report was asked for, and what it does."""
    project = Path(report.project)
    here = project == Path.cwd()
    folder = shlex.quote(min(str(project), os.path.relpath(project), key=len))
    argument, option = ("", "") if here else (f" {folder}", f" --project {folder}")
    prefix = "" if here else f"--prefix {folder} "
    return (
        (f"octavo adopt{argument} --markdown ADOPTION.md", "this report as a file, all of it"),
        (f"octavo adopt{argument} --drafts drafts", "Python for the JavaScript that is not run, for review"),
        (f"octavo db backup before.db{option}", "a copy of the database, before anything changes"),
        (f"octavo config check --strict{option}", "ends with 1 as long as anything is open: for CI"),
        (f"octavo start --port 1338{option}", "serves beside v4; the tables get what is missing, nothing is removed"),
        (f"npm {prefix}run start", "the way back: v4 starts on the same database"),
    )
