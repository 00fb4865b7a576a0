"""`octavo reload`: reload a running service."""

import os
from pathlib import Path

import click

from octavo.cli.base import Command, check_project, project_option, refuse, say
from octavo.cli.running import reloading_process
from octavo.operations.runtime.reload_signal import HANGUP

_NOT_FOUND = """No service of {} was started by `octavo start` on this machine, or its project is read-only.
Under systemd, run `systemctl reload octavo`. For a container, send the signal HUP."""


@click.command(cls=Command, epilog="Example: octavo reload --project site")
@project_option
def reload(project: Path) -> None:
    """Reload a running service: settings, secrets in files, definitions and code.

    Sends SIGHUP. Requests in progress finish. If the project is invalid, the previous version stays in use; the
    service's log shows the result.
    """
    check_project(project)
    process = reloading_process(project)
    if process is None or HANGUP is None:
        refuse(_NOT_FOUND.format(project))
    try:
        os.kill(process, HANGUP)
    except OSError as error:
        refuse(f"Could not send SIGHUP to process {process}: {error.strerror}")
    say("Sent SIGHUP to process {}. The service's log shows the result.", process)
