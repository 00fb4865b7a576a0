"""`octavo config check`: show the effective settings, or all problems with them."""

import asyncio
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click
import orjson

from octavo.cli.base import Group, check_project, json_option, project_option, refuse, say, say_json, say_table
from octavo.cli.v4_report import print_v4_report, refuse_open, report_on
from octavo.core.plurals import counted
from octavo.operations.runtime.definitions import warnings_of
from octavo.operations.runtime.process import build
from octavo.operations.runtime.settings_remarks import likely_mistakes, remarks_on
from octavo.settings import describe, load_settings, missing_secrets
from octavo.settings.compat import RULES
from octavo.settings.keys import camel
from octavo.settings.v4_versions import known_version
from octavo.v4.adoption.report import Report


@click.group(cls=Group)
def config() -> None:
    """Show and check the settings."""


@config.command(epilog="Example: octavo config check --project site")
@project_option
@json_option
@click.option("--strict", is_flag=True, help="Also fail on remarks and unresolved findings of a v4 project.")
def check(project: Path, as_json: bool, strict: bool) -> None:
    """Show every setting with its value and source.

    The values are those that `octavo start` would use.

    Loads definitions and project code, without the database. For a v4 project, lists all keys of its configuration,
    its code and its plugins, and what happens to each. Lists all problems and exits with code 1 if there are any;
    with --strict, also for remarks on definitions and unresolved findings of a v4 project.
    """
    check_project(project)
    settings = load_settings(project, os.environ, default_mode="production")
    octavo = build(settings)
    asyncio.run(octavo.site.register())
    remarks = warnings_of(octavo.site.registry, settings)
    guards = [] if octavo.site.guards is None else [*octavo.site.guards.remarks(octavo.site.graphql)]
    doubts = (*remarks_on(settings, octavo.site.registry), *likely_mistakes(settings))
    report = report_on(settings, octavo.site.registry, octavo.site.code)
    rows = [row._asdict() for row in describe(settings)]
    rules = {name: getattr(settings.api.compat, name) for name in RULES}
    told_rules = {camel(name): value for name, value in rules.items()}
    version = settings.api.compat.v4_version
    missing = missing_secrets(settings)
    if as_json:
        findings = [{**asdict(one), "place": one.place} for one in settings.findings]
        facts: dict[str, object] = {
            "mode": settings.mode,
            "adopted": settings.adopted,
            "profile": settings.profile,
            "v4Version": version,
        }
        if report is not None:
            facts |= {
                "findings": findings,
                "code": [*map(asdict, report.code)],
                "plugins": [*map(asdict, report.plugins)],
            }
        say_json(
            {
                **facts,
                "rules": told_rules,
                "missingSecrets": missing,
                "definitions": [*map(asdict, remarks)],
                "remarks": [*map(asdict, doubts)],
                "guards": guards,
                "settings": rows,
            }
        )
        _end(remarks, report, strict)
        return
    say_table(("file", "key", "value", "source"), ([*map(_text, row.values())] for row in rows))
    origin = "an adopted v4 project" if settings.adopted else "an Octavo project"
    say("\nMode [bold]{}[/], {}, profile [bold]{}[/]:", settings.mode, origin, settings.profile)
    known = known_version(version)
    under_v4 = f"under v4 {version or 'of unknown version'}"
    say_table(
        ("rule", "value", under_v4, "under safe"),
        ((camel(n), v, RULES[n].under("v4", known), RULES[n].safe) for n, v in rules.items()),
    )
    if missing:
        say("\nNot set: {}", ", ".join(missing))
    if report is not None:
        print_v4_report(report)
    if remarks:
        say("\nRemarks on the definitions:\n{}", "\n".join(map(str, remarks)))
    if doubts:
        say("\nRemarks on the settings:\n{}", "\n".join(map(str, doubts)))
    if guards:
        say("\nGuards that do not apply to GraphQL or localizations:\n{}", "\n".join(guards))
    _end(remarks, report, strict)
    say("\nSettings, definitions and code are valid.")


def _end(remarks: Sequence[object], report: Report | None, strict: bool) -> None:
    if not strict:
        return
    if report is not None:
        refuse_open(report)
    elif remarks:
        refuse(f"{counted(len(remarks), 'remark')} on the definitions")


def _text(value: object) -> str:
    return value if isinstance(value, str) else orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS).decode()
