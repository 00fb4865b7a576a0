"""Renders docs/python-api.md from docstrings: `python -m octavo.api_reference > docs/python-api.md`.

Signatures come from the source, so the page is the same on every version of Python.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from functools import cached_property
from typing import Any, Final

import octavo.sdk as code
from octavo.api_reference.contents import ALIASES, SECTIONS, Item, Section
from octavo.core.values import dataclass
from octavo.sdk import entries, entry_reads
from octavo.testing import mails

_HEAD: Final = """\
# Python API reference

Generated from the code by `make docs`; do not edit.

This page lists the classes and functions for [project code](extending.md) and for its [tests](testing.md). Import the
public names from `octavo`: `from octavo import App, Controller, Route`. You get other objects from `app`, `event`,
`request` or `site`, as described with each class.

Await all methods whose signature begins with `async`. In signatures, arguments after `*` are keyword-only.
"""

_ARGUMENTS: Final = {
    "Choice": (entry_reads.Choice,),
    "Asked": (entry_reads.Choice, entry_reads.Asked),
    "Times": (entries.Times,),
}
"""Keyword arguments that a signature names together."""
_WIDTH: Final = 100


def render_reference() -> str:
    """Return the whole page."""
    return "\n".join((_HEAD, *(line for section in SECTIONS for line in _render_section(section)), *_render_aliases()))


def listed() -> set[Any]:
    """Return all classes and functions on the page."""
    return {item.kind for section in SECTIONS for item in section.items}


def _render_section(section: Section) -> Iterator[str]:
    yield f"## {section.title}\n\n{_fill(section.text)}\n"
    for item in section.items:
        yield from _render_item(_Source(item.kind), item)


def _render_item(source: "_Source", item: Item) -> Iterator[str]:
    name = item.kind.__name__
    if not inspect.isclass(item.kind):
        yield f"### {name}()\n"
        yield from _render_function(source, name)
        return
    yield f"### {_title(item.kind)}\n"
    yield from _render_origin(item)
    if item.has_constructor and "__init__" in source.methods:
        yield f"```text\n{_call(name, list(source.arguments('__init__')))}\n```\n"
    elif item.has_constructor:
        yield f"```text\n{_call(name, source.fields)}\n```\n"
    yield f"{_prose(item.kind.__doc__)}\n"
    yield from _render_attributes(source, item)
    for base in reversed(_bases(item.kind)):
        of_base = _Source(base)
        for method, node in of_base.methods.items():
            if not method.startswith("_") and method not in item.hidden and not _is_property(node):
                yield f"#### {_title(item.kind)}.{method}\n"
                yield from _render_function(of_base, method)


def _title(kind: Any) -> str:
    """Return the name of a class. `testing.Mail` shares its name with `app.mail`."""
    return "testing.Mail" if kind is mails.Mail else str(kind.__name__)


def _render_origin(item: Item) -> Iterator[str]:
    name, source = item.kind.__name__, item.source
    is_public = getattr(code, name, None) is item.kind
    how = [f"`from octavo import {name}`"] if is_public else []
    if source.startswith("octavo."):
        how.append(f"`from {source} import {name}`")
    elif source.startswith("the "):
        how.append(source.capitalize() if source.islower() else f"T{source[1:]}")
    elif source:
        how.append(f"Available as `{'` and `'.join(source.split(' and '))}`")
    if issubclass(item.kind, code.OctavoError):
        how.append(f"Status {item.kind.status}")
    if how:
        yield f"{'. '.join(how)}.\n"


def _render_attributes(source: "_Source", item: Item) -> Iterator[str]:
    rows = [(f"`{name.replace(', ', '`, `')}`", text) for name, text in item.attributes]
    for base in reversed(_bases(item.kind)):
        for name, node in _Source(base).methods.items():
            if _is_property(node) and not name.startswith("_") and name not in item.hidden:
                text = " ".join(_prose(ast.get_docstring(node)).split())
                rows.append((f"`{name}: {_annotation(node.returns)}`", _as_cell(text)))
    if rows:
        yield "| Attribute | Value |"
        yield "|---|---|"
        for name, text in rows:
            yield f"| {name.replace('|', chr(92) + '|')} | {text.replace('|', chr(92) + '|')} |"
        yield ""


def _as_cell(text: str) -> str:
    """Return a single sentence in the form of other cells: in lower case, without a full stop."""
    if ". " in text:
        return text
    return f"{text[0].lower()}{text[1:].removesuffix('.')}" if text[1].islower() or text[1] == " " else text


def _render_function(source: "_Source", name: str) -> Iterator[str]:
    node = source.methods[name]
    decorators = {ast.unparse(each) for each in node.decorator_list}
    is_async = isinstance(node, ast.AsyncFunctionDef) and "asynccontextmanager" not in decorators
    result = f" -> {_annotation(node.returns)}" if node.returns else ""
    call = _call(f"{'async ' if is_async else ''}{name}", list(source.arguments(name)), result)
    yield f"```text\n{call}\n```\n"
    yield f"{_prose(ast.get_docstring(node))}\n"


def _render_aliases() -> Iterator[str]:
    yield "## Types in signatures\n"
    yield "| Name | Type |"
    yield "|---|---|"
    for module, name in ALIASES:
        for node in ast.parse(inspect.getsource(module)).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
                yield f"| `{name}` | `{ast.unparse(node.value).replace('|', chr(92) + '|')}` |"
    yield ""


def _bases(kind: type[Any]) -> list[type[Any]]:
    """Return the class and those of our own that it inherits methods from."""
    skipped = {code.OctavoError, code.Entry, *(error for error in code.OctavoError.__subclasses__())} - {kind}
    return [base for base in kind.__mro__ if base.__module__.startswith("octavo.") and base not in skipped]


@dataclass(frozen=True)
class _Source:
    """The source of a class or function."""

    kind: Any

    @cached_property
    def node(self) -> Any:
        return ast.parse(textwrap.dedent(inspect.getsource(self.kind))).body[0]

    @cached_property
    def methods(self) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
        """Functions by name: the last of overloads, and getters instead of setters. A function has itself."""
        found: dict[str, ast.FunctionDef | ast.AsyncFunctionDef] = {}
        for node in self.node.body if inspect.isclass(self.kind) else [self.node]:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not any(
                ast.unparse(each).endswith((".setter", "overload")) for each in node.decorator_list
            ):
                found[node.name] = node
        return found

    @property
    def fields(self) -> list[str]:
        """The fields of a dataclass or TypedDict, as arguments. Fields of a TypedDict can be omitted."""
        fields = (node for node in self.node.body if isinstance(node, ast.AnnAssign))
        otherwise = "..." if hasattr(self.kind, "__total__") else ""
        return [self._field(node, otherwise) for node in fields]

    def _field(self, node: ast.AnnAssign, otherwise: str) -> str:
        default = self._default(node.value) if node.value else otherwise
        if default.startswith("field("):
            default = "{}"
        return f"{ast.unparse(node.target)}: {_annotation(node.annotation)}{f' = {default}' if default else ''}"

    def arguments(self, name: str) -> Iterator[str]:
        """Yield the arguments of a function, except `self`."""
        given = self.methods[name].args
        positional = [*given.posonlyargs, *given.args]
        defaults = [None] * (len(positional) - len(given.defaults)) + list(given.defaults)
        together = _together(given)
        for argument, default in zip(positional, defaults, strict=True):
            if argument.arg not in ("self", "cls"):
                yield self._argument(argument, default)
        if given.vararg:
            yield f"*{self._argument(given.vararg, None)}"
        elif given.kwonlyargs or together:
            yield "*"
        for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
            yield self._argument(argument, default)
        yield from together
        if given.kwarg and not together:
            yield f"**{self._argument(given.kwarg, None)}"

    def _argument(self, argument: ast.arg, default: ast.expr | None) -> str:
        text = f"{argument.arg}: {_annotation(argument.annotation)}" if argument.annotation else argument.arg
        return text if default is None else f"{text} = {self._default(default)}"

    def _default(self, node: ast.expr) -> str:
        """Return a default value: of a constant, its value."""
        text = ast.unparse(node)
        if isinstance(node, ast.Name):
            text = repr(getattr(inspect.getmodule(self.kind), node.id, node.id))
        return text.replace("'", '"')


def _is_property(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(ast.unparse(each) == "property" for each in node.decorator_list)


def _annotation(node: ast.expr | None) -> str:
    return "" if node is None else ast.unparse(node).replace("'", "").replace('"', "")


def _call(name: str, arguments: list[str], result: str = "") -> str:
    """Return a signature, on several lines if it is long."""
    text = f"{name}({', '.join(arguments)}){result}"
    if len(text) <= _WIDTH:
        return text
    lines = "".join(f"    {argument},\n" for argument in arguments)
    return f"{name}(\n{lines}){result}"


def _together(given: ast.arguments) -> list[str]:
    """Return the keyword arguments that a signature names together: `**asked: Unpack[Asked]`."""
    if given.kwarg is None:
        return []
    found = re.fullmatch(r"Unpack\[(\w+)\]", _annotation(given.kwarg.annotation))
    return [field for kind in _ARGUMENTS[found[1]] for field in _Source(kind).fields] if found else []


_NAMES: Final = re.compile(r"\b(?:[A-Z][a-z]+(?:[A-Z][a-z]*)+|None|True|False)\b")
_WORDS: Final = frozenset({"GraphQL", "JavaScript", "PostgreSQL"})


def _prose(text: str | None) -> str:
    """Return a docstring as Markdown: names of classes as code, examples as code blocks."""
    return "\n\n".join(map(_paragraph, inspect.cleandoc(text or "").split("\n\n")))


def _paragraph(text: str) -> str:
    if text.startswith(">>>"):
        return f"```text\n{text}\n```"
    parts = text.split("`")  # every second one is code already
    parts[::2] = [_NAMES.sub(lambda m: m[0] if m[0] in _WORDS else f"`{m[0]}`", part) for part in parts[::2]]
    return "`".join(parts)


def _fill(text: str) -> str:
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)
