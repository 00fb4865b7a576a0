"""Parse files to syntax trees, with limited cost whatever the file contains."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath
from time import thread_time

import tree_sitter_javascript
import tree_sitter_typescript
from tree_sitter import Language, LogType, Node, Parser, Tree

from octavo.core.values import dataclass
from octavo.v4.javascript.source import Place, Source, SourceProblem, read_source, source_of

LONGEST_PARSE = 0.6
"""Maximum processor seconds for one file with monitoring. A file of 100 kB takes a tenth to a quarter of it."""

LONGEST_ALONE = 0.2
"""Maximum seconds without monitoring: ten times what the largest file without syntax errors takes."""

_PART = 4096
"""Bytes passed to the parser at once."""

_SMALL = 8 * 1024
"""Bytes of a file that is parsed in far less than `LONGEST_ALONE`, whatever it contains."""

_TAIL = b"\n" + b"//\n" * 200
"""Comments behind a larger file. The parser calls its progress callback before it has read half of them."""

_ERROR_STATE = ", state:0,"
"""What the log contains for each step of a parser that recovers from a syntax error."""

DEEPEST = 1000
"""Maximum depth of the syntax tree. Recursive functions over a tree have a lower limit."""

SCRIPTS = (".js", ".cjs", ".mjs", ".ts", ".cts", ".mts")
SUFFIXES = (*SCRIPTS, ".json")
"""The suffixes of files that can be parsed."""
PANEL_SUFFIXES = (".jsx", ".tsx")
"""The suffixes of files of the admin panel, which can contain JSX. Code of the server never imports them."""


@dataclass(frozen=True, slots=True, eq=False)
class Module:
    """A file and its syntax tree. `root` is the `program` node; for a JSON file, its value."""

    source: Source
    root: Node
    _tree: Tree
    _ahead: int = 0

    @property
    def file(self) -> str:
        """Its name in messages: the path inside the project."""
        return self.source.file

    @property
    def path(self) -> Path | None:
        """Its path, or None if only a text was given."""
        return self.source.path

    @property
    def project(self) -> Path | None:
        """The project folder."""
        return self.source.root

    @property
    def is_json(self) -> bool:
        return PurePosixPath(self.file).suffix.lower() == ".json"

    def place(self, node: Node) -> Place:
        """Return the location of a node: file, line, column."""
        return self.source.place(node.start_byte - self._ahead)

    def span(self, node: Node) -> tuple[int, int]:
        """Return the byte range of a node in `source.text`."""
        return node.start_byte - self._ahead, node.end_byte - self._ahead

    def text(self, node: Node) -> str:
        """Return the source text of a node."""
        return self._bytes(node).decode("utf-8", "replace")

    def excerpt(self, node: Node, longest: int = 60) -> str:
        """Return the text of a node on one line, shortened, for messages. It may contain a secret."""
        text = " ".join(self._bytes(node)[: 8 * longest].decode("utf-8", "replace").split())
        return text if len(text) <= longest else text[: longest - 1] + "…"

    def _bytes(self, node: Node) -> bytes:
        start, end = self.span(node)
        return self.source.text[start:end]


def parse_file(path: Path, project: Path) -> Module:
    """Parse `path`, a .js, .mjs, .cjs, .ts or .json file in the folder `project`.

    Raises `SourceProblem` if it cannot be read, is too large, nests too deeply, takes too long or has syntax errors.
    """
    return _parse(read_source(path, project))


def parse_text(text: str | bytes, file: str = "text.js", suffix: str = "") -> Module:
    """Parse a text; `suffix`, or the one of `file`, determines the language."""
    return _parse(source_of(text.encode("utf-8", "replace") if isinstance(text, str) else text, file), suffix)


@cache
def _language(suffix: str) -> Language:
    if suffix == ".tsx":
        return Language(tree_sitter_typescript.language_tsx())
    return Language(
        tree_sitter_typescript.language_typescript() if "ts" in suffix else tree_sitter_javascript.language()
    )


def _parse(source: Source, suffix: str = "") -> Module:
    suffix = suffix or PurePosixPath(source.file).suffix.lower()
    if suffix not in (*SUFFIXES, *PANEL_SUFFIXES):
        raise SourceProblem(Place(source.file), f"only {', '.join(SUFFIXES)} files are supported")
    if suffix == ".json":
        return _parse_json(source)
    tree = _bounded_tree(source, source.text, suffix)
    return Module(source, tree.root_node, tree)


def _parse_json(source: Source) -> Module:
    """Parse JSON as a JavaScript expression in parentheses, which shifts positions by one byte."""
    _check_brackets(source)
    try:
        json.loads(source.text, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise SourceProblem(Place(source.file, error.lineno, error.colno), f"invalid JSON: {error.msg}") from None
    except (ValueError, RecursionError):
        raise SourceProblem(Place(source.file), "invalid JSON") from None
    tree = _bounded_tree(source, b"(" + source.text + b")", ".js")
    statement = tree.root_node.named_children[0]
    return Module(source, statement.named_children[0].named_children[0], tree, 1)


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _check_brackets(source: Source) -> None:
    """Check the nesting cheaply, because the JSON parser is recursive."""
    depth = 0
    for offset, byte in enumerate(source.text):
        if byte in b"[{":
            depth += 1
            if depth > DEEPEST:
                raise SourceProblem(source.place(offset), "nested too deeply")
        elif byte in b"]}":
            depth -= 1


class _Watch:
    """Aborts a parse that takes too long, and at the first syntax error, because error recovery may take quadratic
    time. The parser reports errors only in its log, and calls a progress callback that can abort it."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._begun = thread_time()
        self._reached = ""
        self._mistaken = False
        self._accepted = False

    def log(self, kind: LogType, message: str) -> None:
        if kind is LogType.PARSE:
            if message.startswith("process"):
                self._reached = message
            elif message == "accept":
                self._accepted = True
            elif message.startswith("resume") and not self._accepted:  # no valid parse continues from here
                self._mistaken = True

    def is_over(self, _: int, __: bool) -> bool:
        return self._mistaken or thread_time() - self._begun > LONGEST_PARSE

    def problem(self) -> SourceProblem:
        row, column = re.search(r"row:(\d+), col:(\d+)", self._reached).groups()  # type: ignore[union-attr]
        place = self._source.place_at(int(row), int(column))
        if self._mistaken:
            return SourceProblem(place, "syntax error near this line")
        return SourceProblem(place, "takes too long to parse")


def _bounded_tree(source: Source, text: bytes, suffix: str) -> Tree:
    """Return the tree of a text without syntax errors. If there are any, or parsing takes long, parse again with
    monitoring to locate the error.

    Logging every step takes twenty times as long as parsing.
    """
    tree = _tree_alone(text, suffix)
    if tree is None or tree.root_node.has_error:
        tree = _watched_tree(source, text, suffix)
    _check(source, tree.root_node)
    return tree


def _tree_alone(text: bytes, suffix: str) -> Tree | None:
    """Return the parser's tree, with error recovery, or None if it takes too long.

    At the end of a text with many errors, the parser takes quadratic time in one step, which nothing can abort. So the
    end of a large text is delayed by comments, until the log shows whether the parser is still recovering.
    """
    end = thread_time() + LONGEST_ALONE
    parser = Parser(_language(suffix))
    recovering = False

    def log(_: LogType, message: str) -> None:
        nonlocal recovering
        recovering = recovering or (message.startswith("process") and _ERROR_STATE in message)

    def read(offset: int, _: object) -> bytes:
        if offset < len(text) or len(text) <= _SMALL:
            return text[offset : offset + _PART]
        parser.logger = log
        return _TAIL[offset - len(text) :]

    try:
        return parser.parse(read, progress_callback=lambda *_: recovering or thread_time() > end)
    except ValueError:
        return None


def _watched_tree(source: Source, text: bytes, suffix: str) -> Tree:
    watch = _Watch(source)
    parser = Parser(_language(suffix), logger=watch.log)
    try:
        return parser.parse(lambda offset, _: text[offset : offset + _PART], progress_callback=watch.is_over)
    except ValueError:
        raise watch.problem() from None


def _check(source: Source, root: Node) -> None:
    """Raise `SourceProblem` at the first syntax error or too deeply nested node."""
    broken = root.has_error
    for node, depth in levels(root):
        if depth > DEEPEST:
            raise SourceProblem(source.place(node.start_byte), "nested too deeply")
        if broken and (node.is_error or node.is_missing):
            raise SourceProblem(source.place(node.start_byte), "syntax error near this line")


def levels(root: Node) -> Iterator[tuple[Node, int]]:
    """Yield every node in document order with its depth. It is iterative, so deep trees cause no stack overflow."""
    cursor, depth = root.walk(), 0
    while (node := cursor.node) is not None:
        yield node, depth
        if cursor.goto_first_child():
            depth += 1
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
            depth -= 1
