"""Where commands take a password from: never an argument, which the history of the shell and other users would see."""

import os
import sys

import click

stdin_option = click.option("--password-stdin", is_flag=True, help="Read the password from the standard input.")


def read_password(variable: str, *, from_stdin: bool) -> str:
    """The first line of the standard input where that is said, else what a variable holds, else what is typed."""
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    return os.environ.get(variable) or str(click.prompt("Password", hide_input=True, confirmation_prompt=True))
