"""The command line. Modules of commands are loaded on call, which keeps `octavo version` fast."""

import gc
import os
import signal
import sys

import click

from octavo.cli.groups import LazyGroup


def _show_version(ctx: click.Context, _: click.Parameter, is_asked: bool) -> None:
    if is_asked:
        command = main.get_command(ctx, "version")
        assert command is not None
        ctx.invoke(command)
        ctx.exit()


gc.set_threshold(50_000, *gc.get_threshold()[1:])  # loaded modules stay: collecting there takes 5 % of a start

if os.getpid() == 1:  # in a container, the kernel ignores SIGTERM for PID 1 without a handler, also during a start
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))

_VERSION = click.Option(
    ["--version"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version.",
)

main = LazyGroup(
    "octavo",
    params=[_VERSION],
    help="A headless content service: content-types in, REST and GraphQL out, on SQLite and PostgreSQL.",
    commands={
        "new": ("octavo.cli.new:new", "Make a project, with sample content or without."),
        "develop": ("octavo.cli.develop:develop", "Serve a project while working on it."),
        "start": ("octavo.cli.start:start", "Serve a project in production."),
        "adopt": ("octavo.cli.adopt:adopt", "Report on a project of Strapi v4 that is to move in."),
        "content-types": ("octavo.cli.definitions:content_types", "Show the content-types."),
        "routes": ("octavo.cli.definitions:routes", "Show the routes."),
        "generate": ("octavo.cli.generate:generate", "Begin content-types, components and code."),
        "openapi": ("octavo.cli.openapi:openapi", "Write the OpenAPI document of the REST API."),
        "types": ("octavo.cli.types:types", "Write types of the content, for TypeScript or Python."),
        "config": ("octavo.cli.config:config", "Show and check the settings."),
        "secrets": ("octavo.cli.secrets:secrets", "Make, check and change secrets."),
        "db": ("octavo.cli.database:db", "Compare, upgrade, back up, restore and copy the database."),
        "export": ("octavo.cli.export:export", "Write content, files and settings to an archive."),
        "import": ("octavo.cli.import_archive:import_", "Replace content, files and settings by an archive's."),
        "tokens": ("octavo.cli.tokens:tokens", "Create, list and revoke API tokens."),
        "users": ("octavo.cli.users:users", "Create, list, change and delete users."),
        "admin": ("octavo.cli.admin:admin", "Create and list administrators, reset passwords."),
        "roles": ("octavo.cli.roles:roles", "Create, list and delete user roles."),
        "permissions": ("octavo.cli.permissions:permissions", "Show and change the permissions of roles."),
        "locales": ("octavo.cli.locales:locales", "Show, add and remove locales, choose the default one."),
        "audit": ("octavo.cli.audit:audit", "Show what administrators have done."),
        "webhooks": ("octavo.cli.webhooks:webhooks", "Make, show, change, delete and try webhooks."),
        "purge": ("octavo.cli.purge:purge", "Let caches in front forget what they keep."),
        "plugins": ("octavo.cli.plugins:plugins", "Show built-in plugins and installed packages."),
        "jobs": ("octavo.cli.jobs:jobs", "Show and run what is done in the background."),
        "status": ("octavo.cli.watching:status", "Show how a running service fares."),
        "ready": ("octavo.cli.ready:ready", "Ask a running service whether it takes requests."),
        "slow": ("octavo.cli.watching:slow", "Show the slow requests of a running service."),
        "docs": ("octavo.cli.docs:docs", "Show the manual, in the terminal or the browser."),
        "version": ("octavo.cli.version:version", "Show the version."),
    },
    plugins="octavo.commands",
)
