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


gc.set_threshold(200_000, *gc.get_threshold()[1:])  # modules stay: collecting while they load takes 5 % of a start

if os.getpid() == 1:  # in a container, the kernel ignores SIGTERM for PID 1 without a handler, also during a start
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))

for descriptor in range(3):  # the system would give a closed one to a file or connection, which output then damages
    try:
        os.fstat(descriptor)
    except OSError:
        os.open(os.devnull, os.O_RDWR)

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
    help="A headless content service with REST and GraphQL APIs on SQLite, PostgreSQL and MySQL.",
    commands={
        "new": ("octavo.cli.new:new", "Create a project."),
        "develop": ("octavo.cli.develop:develop", "Serve a project and reload it when files change."),
        "start": ("octavo.cli.start:start", "Serve a project in production."),
        "reload": ("octavo.cli.reload:reload", "Reload a running service."),
        "adopt": ("octavo.cli.adopt:adopt", "Report what changes for a Strapi v4 project."),
        "compare": ("octavo.cli.compare:compare", "Compare the responses of two services."),
        "shadow": ("octavo.cli.shadow:shadow", "Serve an old service and compare its reads with a new one."),
        "content-types": ("octavo.cli.definitions:content_types", "List the content types."),
        "routes": ("octavo.cli.definitions:routes", "List the routes."),
        "generate": ("octavo.cli.generate:generate", "Create content types, components and code files."),
        "openapi": ("octavo.cli.openapi:openapi", "Generate the OpenAPI document of the REST API."),
        "types": ("octavo.cli.types:types", "Generate TypeScript or Python types of the content."),
        "config": ("octavo.cli.config:config", "Show and check the settings."),
        "secrets": ("octavo.cli.secrets:secrets", "Create, check and rotate secrets."),
        "db": ("octavo.cli.database:db", "Compare, upgrade, back up, restore and copy the database."),
        "export": ("octavo.cli.export:export", "Export content, files and settings to an archive."),
        "import": ("octavo.cli.import_archive:import_", "Replace content, files and settings with an archive."),
        "tokens": ("octavo.cli.tokens:tokens", "Create, list and revoke API tokens."),
        "users": ("octavo.cli.users:users", "Create, list, update and delete users."),
        "admin": ("octavo.cli.admin:admin", "Create and list administrators, and reset their passwords."),
        "roles": ("octavo.cli.roles:roles", "Create, list and delete user roles."),
        "permissions": ("octavo.cli.permissions:permissions", "Show and change the permissions of roles."),
        "locales": ("octavo.cli.locales:locales", "List, add and remove locales, and set the default."),
        "audit": ("octavo.cli.audit:audit", "Show the audit log."),
        "webhooks": ("octavo.cli.webhooks:webhooks", "Create, list, update, delete and test webhooks."),
        "media": ("octavo.cli.media:media", "Remove metadata from stored files."),
        "purge": ("octavo.cli.purge:purge", "Purge CDNs and reverse proxies."),
        "plugins": ("octavo.cli.plugins:plugins", "List the built-in and installed plugins."),
        "jobs": ("octavo.cli.jobs:jobs", "List, run and retry jobs and scheduled tasks."),
        "maintenance": ("octavo.cli.live_settings:maintenance", "Make running services read-only for maintenance."),
        "log-level": ("octavo.cli.live_settings:log_level", "Set the log level of running services."),
        "status": ("octavo.cli.watching:status", "Show the state of a running service."),
        "ready": ("octavo.cli.ready:ready", "Check whether a running service accepts requests."),
        "slow": ("octavo.cli.watching:slow", "Show the slow requests of a running service."),
        "doctor": ("octavo.cli.doctor:doctor", "Collect what a bug report needs into one file."),
        "docs": ("octavo.cli.docs:docs", "Show the documentation in the terminal or the browser."),
        "version": ("octavo.cli.version:version", "Show the version."),
    },
    plugins="octavo.commands",
)
