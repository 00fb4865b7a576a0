"""Read passwords for commands. They are never arguments, which other users and the shell history could see."""

import os
import sys

import click

stdin_option = click.option("--password-stdin", is_flag=True, help="Read the password from the standard input.")


def read_password(variable: str, *, from_stdin: bool) -> str:
    """Return the first line of standard input if `from_stdin`, else the variable's value, else prompt."""
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    return os.environ.get(variable) or str(click.prompt("Password", hide_input=True, confirmation_prompt=True))
