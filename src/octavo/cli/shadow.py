"""`octavo shadow`: answer from the old service, and compare its responses to reads with the new one."""

import logging
import os
import socket
from pathlib import Path
from typing import Final

import click

from octavo.cli.base import ServingCommand, json_option, print_line, read_settings, refuse, say_json, styled
from octavo.cli.compare import graphql_path, print_results
from octavo.operations.comparison.generated_requests import private_names
from octavo.operations.comparison.html_report import to_html
from octavo.operations.comparison.masks import KINDS
from octavo.operations.comparison.requests import DEFAULT_PATHS
from octavo.operations.comparison.results import Results
from octavo.operations.comparison.sending import Service
from octavo.operations.runtime.definitions import project_registry
from octavo.operations.runtime.logs import set_up_lines
from octavo.operations.shadowing.exchanges import MEGABYTE, Recorder
from octavo.operations.shadowing.feed import ShadowOptions
from octavo.operations.shadowing.running import run_comparison, run_proxy

_WRITABLE: Final = click.Path(dir_okay=False, path_type=Path)
_LAST_PORT: Final = 65_535


@click.command(
    cls=ServingCommand,
    epilog="Example: octavo shadow http://localhost:1337 http://localhost:1338 --listen 127.0.0.1:1339 --sample 20",
)
@click.argument("old_url")
@click.argument("new_url")
@click.option("--listen", default="127.0.0.1:1339", show_default=True, metavar="HOST:PORT", help="Address to serve.")
@click.option("--sample", type=click.FloatRange(0, 100), default=100.0, show_default=True, help="Percent of reads.")
@click.option("--path", "paths", multiple=True, default=DEFAULT_PATHS, show_default=True, help="Paths to compare.")
@click.option("--graphql", metavar="PATH", help="Path of the GraphQL endpoint. [default: the project's, or /graphql]")
@click.option("--skip", multiple=True, metavar="PATH", help="Do not compare this path and those below it; repeatable.")
@click.option("--host", "hosts", multiple=True, help="Another host of the services, which is masked; repeatable.")
@click.option("--mask", "names", multiple=True, help="An attribute name, or a path such as $.data[*].attributes.views.")
@click.option("--exact", type=click.Choice(KINDS), multiple=True, help="Compare these values exactly.")
@click.option(
    "--rate", type=click.FloatRange(0.1, 1_000), default=20.0, show_default=True, help="Compared requests per second."
)
@click.option("--concurrency", type=click.IntRange(1, 64), default=4, show_default=True, help="Parallel comparisons.")
@click.option(
    "--timeout", type=click.FloatRange(0.1, 600), default=30.0, show_default=True, help="Seconds per compared request."
)
@click.option("--max-body", type=click.IntRange(1, 20), default=2, show_default=True, help="Largest response, in MB.")
@click.option("--memory", type=click.IntRange(4, 4_096), default=64, show_default=True, help="MB for waiting requests.")
@click.option("--log", type=_WRITABLE, help="Append each comparison to this file, as JSON lines.")
@click.option("--html", type=_WRITABLE, help="Write the summary as HTML.")
@click.option("--force", is_flag=True, help="Replace the HTML file if it exists.")
@click.option(
    "--project",
    type=click.Path(exists=True, file_okay=False, resolve_path=True, path_type=Path),
    help="The project, to explain differences of private attributes.",
)
@json_option
def shadow(
    old_url: str,
    new_url: str,
    listen: str,
    sample: float,
    paths: tuple[str, ...],
    graphql: str | None,
    skip: tuple[str, ...],
    hosts: tuple[str, ...],
    names: tuple[str, ...],
    exact: tuple[str, ...],
    rate: float,
    concurrency: int,
    timeout: float,
    max_body: int,
    memory: int,
    log: Path | None,
    html: Path | None,
    force: bool,
    project: Path | None,
    as_json: bool,
) -> None:
    """Serve requests from OLD_URL, send reads to NEW_URL as well, and compare the responses.

    Clients get the responses of OLD_URL, unchanged and without delay. Only reads are repeated: GET, HEAD and GraphQL
    queries, with the client's tokens and cookies. Reports and logs contain no tokens, cookies or e-mail addresses.
    SIGUSR1 prints a summary, SIGTERM and Ctrl-C print it and end the command.
    """
    host, port = _read_address(listen)
    if html is not None and html.exists() and not force:
        refuse(f"{html} already exists; --force replaces it")
    for url in (old_url, new_url):
        Service(url)  # raises an error for an invalid URL
    settings = read_settings(project) if project else None
    options = ShadowOptions(
        old_url=old_url,
        new_url=new_url,
        paths=paths,
        hosts=hosts,
        names=names,
        exact=exact,
        private=tuple(private_names(project_registry(settings))) if settings else (),
        graphql=graphql_path(graphql, settings),
        rate=rate,
        concurrency=concurrency,
        timeout=timeout,
        memory=memory * MEGABYTE // 2,
        log=_writable(log),
        html=_writable(html),
        as_json=as_json,
    )
    recorder = Recorder(paths, skip, sample / 100, max_body * MEGABYTE, memory * MEGABYTE // 2)
    set_up_lines(as_json=False, waits=True)
    run_proxy(host, port, options, recorder, _compare, lambda given: _say_ready(host, given, options))


def _say_ready(host: str, port: int, options: ShadowOptions) -> None:
    address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    text = styled("Serving [bold]{}[/] at [bold]{}[/], compared with {}.", options.old_url, address, options.new_url)
    print_line(text, err=True)


def _read_address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or int(port) > _LAST_PORT:
        refuse("--listen: expected HOST:PORT, for example 127.0.0.1:1339")
    return host.removeprefix("[").removesuffix("]"), int(port)


def _writable(file: Path | None) -> str:
    """Return the absolute path of a file that can be written. Raises OSError."""
    if file is None:
        return ""
    with open(file, "ab", opener=lambda path, flags: os.open(path, flags, 0o600)):
        return str(file.resolve())


def _compare(channel: socket.socket, options: ShadowOptions) -> None:
    """Run the comparison process."""
    set_up_lines(as_json=False, waits=True)
    run_comparison(channel, options, lambda results: _summarize(results, options))


def _summarize(results: Results, options: ShadowOptions) -> None:
    html = Path(options.html) if options.html else None
    try:
        if html is not None:
            html.write_text(to_html(results, "octavo shadow"), encoding="utf-8")
        if options.as_json:
            say_json(results.as_json())
        else:
            print_results(results, html)
    except OSError as error:
        logging.getLogger(__name__).error("The summary cannot be written: %s", error.strerror or error)
