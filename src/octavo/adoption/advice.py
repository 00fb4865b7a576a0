"""What an owner can do today about code that is not run, by its kind; and the commands, with the way back."""

from collections.abc import Iterable, Iterator
from typing import Final

from octavo.adoption.report import CodeItem, Report
from octavo.project.v4 import Kind

_BESIDE: Final = (
    "answers 501. Send such addresses on to the v4 service or to one of your own: your proxy decides by the path"
)
_OUTSIDE: Final = "does not happen. A scheduler of the system (cron, a timer) can do it over the API, with an API token"
_ADVICE: Final = {
    Kind.ROUTE: f"a route of the project's own {_BESIDE}.",
    Kind.ACTION: (
        "an action of the project's own is reached by its routes alone. One that finds by slug is "
        "`GET /api/...?filters[slug][$eq]=...` here."
    ),
    Kind.CONTROLLER: "a controller that cannot be read: its routes stay closed.",
    Kind.SERVICE: "a service does nothing unless other code calls it.",
    Kind.POLICY: "a policy guards the routes that name it; in GraphQL it can be Python (docs/extending.md).",
    Kind.MIDDLEWARE: "a middleware does nothing here; what it did for requests a proxy may do.",
    Kind.HOOK: (
        "a lifecycle hook does not happen. Let who writes send the fields that it set, use `default` or a `uid` field; "
        "what it called afterwards can be called by who writes, or by a task that asks for changes "
        "(`filters[updatedAt][$gt]`)."
    ),
    Kind.CRON: f"a task at set times {_OUTSIDE}.",
    Kind.START: "code at start is written in Python, in `src/index.py`: `register(app)`, `bootstrap(app)`.",
    Kind.GRAPHQL: "types, fields and resolvers are written in Python, in `register(app)` (docs/extending.md).",
    Kind.EXTENSION: "an extension of a plugin does nothing here; what it replaced stays closed.",
    Kind.PLUGIN: f"a local plugin does not run; its addresses {_BESIDE.replace('answers', 'answer', 1)}.",
    Kind.MIGRATION: "a migration of the project's own is done once; those that v4 has run need nothing.",
    Kind.UNREADABLE: "a file that cannot be read; correct it, or remove it.",
}


def advice(code: Iterable[CodeItem]) -> Iterator[str]:
    """A sentence for each kind that is there."""
    kinds = {item.kind for item in code}
    yield from (f"{kind.value}: {says}" for kind, says in _ADVICE.items() if kind.value in kinds)


def allowing(report: Report) -> str:
    """What opens all that is closed, as it stands in `config/api.toml`."""
    names = ", ".join(f'"{name}"' for name in dict.fromkeys(item.guard for item in report.closed))
    return f"[adoption]\nallow = [{names}]"


def commands() -> tuple[tuple[str, str], ...]:
    """The next steps: what to type, and what it does."""
    return (
        ("octavo adopt --markdown ADOPTION.md", "this report as a file, all of it"),
        ("octavo db backup before.db", "a copy of the database, before anything changes"),
        ("octavo config check --strict", "ends with 1 as long as anything is open: for CI"),
        ("octavo start --port 1338", "serves beside v4; the tables get what is missing, nothing is removed"),
        ("npm run start", "the way back: v4 starts on the same database"),
    )
