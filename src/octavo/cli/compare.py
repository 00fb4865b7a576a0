"""`octavo compare`: send the same requests to two services and report the differences."""

import asyncio
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Final

import click

from octavo.cli.base import Command, json_option, project_option, read_settings, refuse, say, say_json, say_table
from octavo.cli.terminal import progress_bar
from octavo.core.errors import is_missing_parser
from octavo.core.plurals import counted
from octavo.operations.comparison.access_logs import read_access_log
from octavo.operations.comparison.comparison import Comparison, Role
from octavo.operations.comparison.generated_requests import generate_requests, private_names
from octavo.operations.comparison.har_files import read_har
from octavo.operations.comparison.html_report import to_html, verdict
from octavo.operations.comparison.masks import KINDS, Masks
from octavo.operations.comparison.progress_file import fingerprint_of, open_progress
from octavo.operations.comparison.requests import DEFAULT_GRAPHQL, DEFAULT_PATHS, Selection
from octavo.operations.comparison.results import Results
from octavo.operations.comparison.sending import Service
from octavo.operations.runtime.definitions import project_registry
from octavo.schema.registry import Registry
from octavo.settings import Settings

_MOST_ROWS: Final = 20
_READABLE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
_FOLDER: Final = click.Path(exists=True, file_okay=False, path_type=Path)
_WRITABLE: Final = click.Path(dir_okay=False, path_type=Path)


@click.command(
    cls=Command,
    epilog="Example: octavo compare http://localhost:1337 http://localhost:1338 --log access.log --html report.html",
)
@click.argument("old_url")
@click.argument("new_url")
@click.option("--log", "logs", type=_READABLE, multiple=True, help="An access log; repeatable.")
@click.option("--har", "hars", type=_READABLE, multiple=True, help="A HAR file; repeatable.")
@click.option("--generate", is_flag=True, help="Generate requests over the project's content model.")
@click.option(
    "--frontend",
    "frontends",
    type=_FOLDER,
    multiple=True,
    help="A front end's source, whose requests are read; repeatable.",
)
@click.option(
    "--role",
    "roles",
    multiple=True,
    metavar="NAME=TOKEN",
    help="Another role. TOKEN is env:VARIABLE or file:PATH, or two of them, for OLD_URL and NEW_URL, "
    "separated by a comma.",
)
@click.option("--path", "paths", multiple=True, default=DEFAULT_PATHS, show_default=True, help="Paths to compare.")
@click.option("--graphql", metavar="PATH", help="Path of the GraphQL endpoint. [default: the project's, or /graphql]")
@click.option("--host", "hosts", multiple=True, help="Another host of the services: in HAR files and masked.")
@click.option("--mask", "names", multiple=True, help="An attribute name, or a path such as $.data[*].attributes.views.")
@click.option("--exact", type=click.Choice(KINDS), multiple=True, help="Compare these values exactly.")
@click.option("--writes", is_flag=True, help="Also send requests that write, in order. Changes both services.")
@click.option("--most", type=click.IntRange(1, 1_000_000), default=10_000, show_default=True, help="Maximum requests.")
@click.option("--rate", type=click.FloatRange(0.1, 1_000), default=10.0, show_default=True, help="Requests per second.")
@click.option("--concurrency", type=click.IntRange(1, 64), default=4, show_default=True, help="Parallel requests.")
@click.option(
    "--timeout", type=click.FloatRange(0.1, 600), default=30.0, show_default=True, help="Seconds per request."
)
@click.option("--progress", type=_WRITABLE, help="Store progress in this file, and resume from it.")
@click.option("--html", type=_WRITABLE, help="Write the report as HTML.")
@click.option("--force", is_flag=True, help="Replace the HTML file if it exists.")
@json_option
@project_option
def compare(
    old_url: str,
    new_url: str,
    logs: tuple[Path, ...],
    hars: tuple[Path, ...],
    generate: bool,
    frontends: tuple[Path, ...],
    roles: tuple[str, ...],
    paths: tuple[str, ...],
    graphql: str | None,
    hosts: tuple[str, ...],
    names: tuple[str, ...],
    exact: tuple[str, ...],
    writes: bool,
    most: int,
    rate: float,
    concurrency: int,
    timeout: float,
    progress: Path | None,
    html: Path | None,
    force: bool,
    as_json: bool,
    project: Path,
) -> None:
    """Compare the responses of two services to the same requests.

    Requests are from access logs, HAR files, the content model and the source of front ends. Only reads are sent:
    GET, HEAD and GraphQL queries. Ids, times and hosts are masked. Reports contain no tokens, cookies or e-mail
    addresses. The exit code is 1 if a difference has no documented reason.
    """
    if html is not None and html.exists() and not force:
        refuse(f"{html} already exists; --force replaces it")
    old, new = (Service(url, rate=rate, seconds=timeout) for url in (old_url, new_url))
    known = frozenset({*old.hosts, *new.hosts, *hosts})
    callers = (Role("public"), *map(_read_role, roles))
    settings = read_settings(project) if generate or frontends else None
    selection = Selection(tuple(paths), writes, most, graphql_path(graphql, settings))
    _read_files(selection, logs, hars, known)
    registry = project_registry(settings) if settings else None
    results = Results(str(old.url), str(new.url), selection.skipped)
    if settings and registry and frontends:
        source = Service(old_url, rate=rate, seconds=timeout)
        tokens = tuple(dict.fromkeys(role.old_token for role in callers))
        results.unread += _add_frontends(frontends, settings, registry, source, tokens, selection, known)
    if settings and registry and generate:
        _add_generated(registry, settings, selection)
    private = private_names(registry) if registry else frozenset()
    if not selection.requests:
        refuse(_no_requests(selection))
    options = fingerprint_of(str(old.url), str(new.url), sorted(known), sorted(names), sorted(exact))
    masks = Masks(known, names, exact)
    with open_progress(progress, options) if progress else nullcontext() as stored, progress_bar("Comparing") as bar:
        comparison = Comparison(old, new, masks, results, roles=callers, private=private, progress=stored, report=bar)
        asyncio.run(comparison.run(list(selection.requests.values()), concurrency))
    if html is not None:
        html.write_text(to_html(results), encoding="utf-8", errors="replace")  # file names can be other bytes
    if as_json:
        say_json(results.as_json())
    else:
        print_results(results, html)
    _check(results)


def _read_files(selection: Selection, logs: Iterable[Path], hars: Iterable[Path], hosts: frozenset[str]) -> None:
    for log in logs:
        read_access_log(log, selection)
    for har in hars:
        read_har(har, hosts, selection)


def _add_generated(registry: Registry, settings: Settings, selection: Selection) -> None:
    endpoint = selection.graphql if settings.plugins.graphql.enabled else ""
    for request in generate_requests(registry, prefix=settings.api.rest.prefix, graphql=endpoint):
        selection.add(request)


def _add_frontends(
    folders: Iterable[Path],
    settings: Settings,
    registry: Registry,
    service: Service,
    tokens: Sequence[str],
    to: Selection,
    hosts: frozenset[str],
) -> list[str]:
    """Add the requests of front ends. Return what could not be read."""
    try:
        from octavo.cli.frontends import add_frontends
    except ModuleNotFoundError as error:
        if is_missing_parser(error):
            refuse("--frontend requires the extra `v4`: pip install 'octavo[v4]'")
        raise
    return asyncio.run(add_frontends(folders, registry, settings.api.rest.prefix, service, tokens, to, hosts))


def graphql_path(given: str | None, settings: Settings | None) -> str:
    """Return the path of the GraphQL endpoint: the given one, or the project's."""
    path = given or (settings.plugins.graphql.config.endpoint if settings else DEFAULT_GRAPHQL)
    return f"/{path.strip('/')}"


def _no_requests(selection: Selection) -> str:
    if not selection.skipped:
        sources = "an access log (--log), a HAR file (--har), a front end (--frontend)"
        return f"There are no requests to send. Give {sources}, or --generate."
    reasons = ", ".join(f"{name}: {count}" for name, count in selection.skipped.items())
    return f"There are no requests to send. Skipped: {reasons}. --path sets the paths to compare."


def _read_role(text: str) -> Role:
    name, _, sources = text.partition("=")
    tokens = [_read_token(source) for source in sources.split(",")]
    if not name or name == "public" or len(tokens) > 2:
        refuse("--role: expected NAME=env:VARIABLE or NAME=file:PATH, and a name other than public")
    return Role(name, tokens[0], tokens[-1])


def _read_token(source: str) -> str:
    """Return a token of a variable or a file. The error does not repeat the text, which can be a token."""
    kind, _, name = source.partition(":")
    if kind == "env" and name:
        token = os.environ.get(name, "").strip()
        where = f"the variable {name}"
    elif kind == "file" and name:
        token = Path(name).read_text("utf-8").strip()
        where = name
    else:
        refuse("--role: tokens are read from env:VARIABLE or file:PATH, not from the command line")
    if not token or not token.isascii() or not token.isprintable():
        refuse(f"--role: {where} does not contain a token")
    return token


def print_results(results: Results, html: Path | None) -> None:
    """Print the results, with only the first groups."""
    say("{}", verdict(results))
    groups = [*results.unexplained, *results.explained]
    if groups:
        rows = (
            (group.reason or "[unexplained]", group.requests, group.cause, group.shape, min(group.routes))
            for group in groups[:_MOST_ROWS]
        )
        say_table(("reason", "requests", "difference", "path", "route"), rows)
    if len(groups) > _MOST_ROWS:
        say("and {} more; --html FILE writes the full report", len(groups) - _MOST_ROWS)
    for line in _remarks(results):
        say("{}", line)
    if html is not None:
        say("Written to [bold]{}[/].", html)


def _remarks(results: Results) -> Iterator[str]:
    if results.states["unstable"]:
        yield f"Unstable responses: {results.states['unstable']}"
    for status, count in results.errors.items():
        yield f"Equal errors: {status}: {count}, for example {results.error_examples[status]}"
    yield from (f"Failed: {reason}: {count}" for reason, count in results.failures.items())
    yield from (f"Skipped: {reason}: {count}" for reason, count in results.skipped.items())
    yield from (f"Not read: {line}" for line in results.unread[:_MOST_ROWS])
    if len(results.unread) > _MOST_ROWS:
        yield f"and {len(results.unread) - _MOST_ROWS} more; --html FILE writes the full report"


def _check(results: Results) -> None:
    if results.unexplained:
        refuse(f"{counted(len(results.unexplained), 'group')} of unexplained differences")
    if not results.compared:
        refuse("No request has a response from both services")
