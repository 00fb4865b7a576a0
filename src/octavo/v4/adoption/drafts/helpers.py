"""Collect the top-level functions and constants that pieces depend on, directly or indirectly."""

import re
from collections.abc import Collection, Mapping
from typing import Final

from tree_sitter import Node

from octavo.v4.adoption.drafts.expressions import read
from octavo.v4.adoption.drafts.functions import helper_lines, new_scope
from octavo.v4.adoption.drafts.pieces import spaced
from octavo.v4.adoption.drafts.python import comment, python_name, text_literal
from octavo.v4.adoption.drafts.scope import Text, Untranslated
from octavo.v4.javascript.modules import Binding
from octavo.v4.javascript.syntax import unwrap, walk

Lines = list[str]

_MOST_ROUNDS: Final = 100


def needed(text: Text, bindings: Mapping[str, Binding], owner: str) -> Lines:
    """Return the constants, then the functions, each in the order of the file."""
    written: dict[str, Lines] = {}
    for _ in range(_MOST_ROUNDS):
        missing = [name for name in text.wanted if name not in written]
        if not missing:
            break
        for name in missing:
            value = bindings[name].value
            written[name] = []
            if value is not None:
                is_function = name in text.helpers
                write = helper_lines if is_function else _constant
                written[name] = write(text, name, unwrap(value), owner)
    order = sorted(written, key=lambda name: bindings[name].node.start_byte)
    constants = [line for name in order if name not in text.helpers for line in written[name]]
    functions = spaced(written[name] for name in order if name in text.helpers)
    return [*constants, *["", ""] * bool(constants and functions), *functions]


def file_text(text: Text, lines: Lines) -> str:
    """Return the complete file: header, imports and lines, without unprintable characters."""
    words = set(re.findall(r"\w+", "\n".join(lines)))
    needed = filter(None, (_used(line, words) for line in text.imports))
    imports = sorted(needed, key=lambda line: (line.startswith("from ."), line))
    if text.octavo:
        imports += [f"from octavo import {', '.join(sorted(text.octavo))}"]
    head = [text_literal(f"Draft of {text.module.file}. Review it before you use it."), "", *imports, "", ""]
    joined = "\n".join(line.rstrip() for line in "\n".join([*head, *lines]).split("\n"))
    seen = "".join(char if char.isprintable() or char == "\n" else "�" for char in joined)
    return re.sub(r"\n{4,}", "\n\n\n", seen).rstrip() + "\n"


def _used(line: str, words: Collection[str]) -> str:
    """Return an import with the used names only, or an empty text if it has none."""
    start, _, names = line.rpartition("import ")
    used = [name for name in names.split(", ") if name in words]
    return f"{start}import {', '.join(used)}" if used else ""


def _constant(text: Text, name: str, value: Node, owner: str) -> Lines:
    try:
        if any(found.type == "identifier" and text.module.text(found) == "strapi" for found in walk(value)):
            raise Untranslated(value, f"cannot translate `{name}`, which uses `strapi` at the top of the file")
        return f"{python_name(name).upper()} = {read(new_scope(text, '', owner, ''), value).text}".split("\n")
    except Untranslated as missing:
        text.reasons.append(missing.why)
        return [*comment(text.module.text(value)), f"{python_name(name).upper()} = None  # missing: {missing.why}"]
