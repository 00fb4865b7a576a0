"""Documents that differ only in numbers and texts share one document, whose literals are variables.

A text is split into its skeleton, in which all literals of a kind are equal, and the literals. From the second text
with a skeleton on, a template is built: the document with a variable for each literal in an argument of a content
field. Other literals (in directives, defaults, lists of unknown types) stay in the document and in its key.

Literals are validated by the type of their place. Texts with an invalid literal take the regular path, which reports
the error.
"""

import re
import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, Final, NamedTuple

from graphql import (
    SKIP,
    ArgumentNode,
    DocumentNode,
    FieldNode,
    FloatValueNode,
    GraphQLError,
    GraphQLID,
    GraphQLInputType,
    GraphQLNonNull,
    GraphQLScalarType,
    GraphQLSchema,
    GraphQLString,
    GraphQLSyntaxError,
    IntValueNode,
    NameNode,
    Node,
    StringValueNode,
    TypeInfo,
    TypeInfoVisitor,
    Undefined,
    ValueNode,
    VariableNode,
    Visitor,
    get_named_type,
    is_leaf_type,
    parse,
    value_from_ast,
    visit,
)

from octavo.api.graphql.document.documents import Document, size_of_document
from octavo.api.graphql.document.limits import STRINGS, fragments_of, operations_of
from octavo.api.graphql.schema.field_metadata import RootField, metadata_of_field
from octavo.core.cache import ENTRY_BYTES, Cache
from octavo.core.values import dataclass

MOST_CHARACTERS: Final = 8_192
"""Longer documents are rarely the same but for their literals, and cost more to split."""
MOST_LITERALS: Final = 256
_TEMPLATE_BYTES: Final = 2_000
_LITERAL_BYTES: Final = 600
"""Bytes that a template, and each of its literals, takes besides the document, at most: measured by a test."""
_EMPTY: Final = {"s": '""', "i": "0", "f": "0.5"}
"""Placeholders of texts, whole numbers and other numbers in a skeleton."""

_LITERAL: Final = re.compile(
    rf'(?!""")"(?P<s>[^"\\\x00-\x1f\x7f\ud800-\udfff]*+)"(?!")|{STRINGS}'
    r"|(?<![0-9A-Za-z_$.-])-?(?:0|[1-9][0-9]{0,17})(?:(?P<f>\.[0-9]{1,17}(?:[eE][+-]?[0-9]{1,3})?)|(?P<i>))"
    r"(?![0-9A-Za-z_.])",
    re.DOTALL,
)
"""A literal, or a comment or other text that stays as it is. A group names the kind of literal."""

Errors = list[dict[str, Any]]
Literal = tuple[str, str]
"""The kind of a literal, and how it is written."""
Values = Mapping[str, Any]
Reader = Callable[[Literal], Any]
"""Reads the value of a literal; Undefined if it does not fit the type of its place."""


class SplitText(NamedTuple):
    """A text without its literals, and these, in order."""

    skeleton: str
    literals: tuple[Literal, ...]


def split_literals(text: str) -> SplitText | None:
    """Split a text, unless it is too long or has no literals or too many.

    >>> split_literals('{ book(id: 5) { title(like: "sea", n: -1.5) b2 } }').skeleton
    '{ book(id: 0) { title(like: "", n: 0.5) b2 } }'
    """
    if len(text) > MOST_CHARACTERS:
        return None
    literals: list[Literal] = []
    pieces: list[str] = []
    end = 0
    for literal in _LITERAL.finditer(text):
        kind = literal.lastgroup
        if kind is None:
            continue
        if len(literals) == MOST_LITERALS:
            return None
        literals.append((kind, literal[0]))
        pieces += (text[end : literal.start()], _EMPTY[kind])
        end = literal.end()
    return SplitText("".join((*pieces, text[end:])), tuple(literals)) if literals else None


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Template:
    """The document of texts that differ in literals. `source` is the text that its locations refer to.

    `readers` has one for each literal, None for those that stay in the document; `starts` and `lengths` are those of
    the literals in the source.
    """

    source: str
    document: Document
    readers: tuple[Reader | None, ...]
    lengths: tuple[int, ...]
    starts: tuple[int, ...]

    def fill(self, literals: tuple[Literal, ...]) -> "Literals | None":
        """Return the values of the variables in a text with these literals, or None if one is invalid."""
        values = {}
        for at, (read, literal) in enumerate(zip(self.readers, literals, strict=True)):
            if read is not None:
                value = values[_variable(at)] = read(literal)
                if value is Undefined:
                    return None
        return Literals(self, literals, values)

    def location(self, location: Mapping[str, int], literals: Sequence[Literal]) -> dict[str, int]:
        """Return a location in a text with other literals."""
        line, column = location["line"], location["column"]
        begin = [0, *(line_break.end() for line_break in re.finditer(r"\r\n|[\n\r]", self.source))][line - 1]
        first, last = bisect_left(self.starts, begin), bisect_left(self.starts, begin + column - 1)
        grown = (len(literals[at][1]) - self.lengths[at] for at in range(first, last))
        return {"line": line, "column": column + sum(grown)}


class Literals(NamedTuple):
    """The literals of a text, and the values that they have as variables of its template."""

    template: Template
    written: tuple[Literal, ...]
    values: Values

    def place(self, errors: Errors) -> Errors:
        """Return errors of the template with their locations in the text."""
        return [
            {**error, "locations": [self.template.location(one, self.written) for one in error["locations"]]}
            if "locations" in error
            else error
            for error in errors
        ]


class _Seen:
    """Says that texts of a skeleton came once, or that their literals cannot become variables."""


_ONCE: Final = _Seen()
_NEVER: Final = _Seen()

_Fixed = tuple[int, ...]
"""The literals of a skeleton that stay in the document."""
Key = tuple[str, ...]


class Templates:
    """Templates by skeleton, and by the literals that stay in the document."""

    def __init__(
        self,
        schema: GraphQLSchema,
        cache: Cache[Key, Any],
        has_code: Callable[[str, str], bool],
    ) -> None:
        self._schema = schema
        self._cache = cache
        self._has_code = has_code

    def find(self, split: SplitText) -> Literals | None:
        """Return the literals of a text with their template, if there is one that they fit."""
        fixed = self._cache.get((split.skeleton,))
        template = self._cache.get(_key(split, fixed)) if fixed.__class__ is tuple else None
        return template.fill(split.literals) if isinstance(template, Template) else None

    def learn(self, split: SplitText) -> None:
        """Note a valid text; build a template when it is the second one with its skeleton."""
        key: Key = (split.skeleton,)
        known = self._cache.get(key)
        if known.__class__ is tuple:
            key = _key(split, known)
            known = self._cache.get(key)
        if known is None:
            self._cache.put(key, _ONCE, _bytes_of(key))
        elif known is _ONCE:
            self._build(split)

    def _build(self, split: SplitText) -> None:
        """Build the template of a text. Texts of a skeleton have literals of equal kinds in equal places."""
        try:
            types = self._types(split)
        except (GraphQLSyntaxError, ValueError):  # the literals of the skeleton are others than those of the text
            types = {}
        fixed = tuple(at for at in range(len(split.literals)) if at not in types)
        key: Key = (split.skeleton,)
        if not types:
            self._cache.put(key, _NEVER, _bytes_of(key))
            return
        self._cache.put(key, fixed, _bytes_of(key))
        template, key = _template(split, types), _key(split, fixed)
        self._cache.put(key, template, _bytes_of(key) + template.document.size)

    def _types(self, split: SplitText) -> dict[int, GraphQLInputType]:
        """Return the types of the literals that can become variables."""
        source, starts = _source(split, range(len(split.literals)))
        document = parse(source)
        finding = _Literals(self._schema, document, self._has_code)
        visit(document, TypeInfoVisitor(finding.info, finding))
        if finding.has_code:
            return {}
        places = {start: at for at, start in enumerate(starts)}
        return {places[start]: kind for start, kind in finding.types.items() if start in places}


def _template(split: SplitText, types: Mapping[int, GraphQLInputType]) -> Template:
    fixed = [at for at in range(len(split.literals)) if at not in types]
    source, starts = _source(split, fixed)
    names = {starts[at]: _variable(at) for at in types}
    node: DocumentNode = visit(parse(source), _Renaming(names))
    size = size_of_document(source) + _TEMPLATE_BYTES + _LITERAL_BYTES * len(split.literals)
    document = Document(f"\0{source}", tuple(operations_of(node)), fragments_of(node), size)
    readers = tuple(_reader(types[at]) if at in types else None for at in range(len(split.literals)))
    written = [literal if at in fixed else _EMPTY[kind] for at, (kind, literal) in enumerate(split.literals)]
    return Template(source, document, readers, tuple(map(len, written)), starts)


def _variable(at: int) -> str:
    """The name of the variable of a literal, which no document can have."""
    return f" {at}"


def _key(split: SplitText, fixed: _Fixed) -> Key:
    return (split.skeleton, "", *(split.literals[at][1] for at in fixed))


def _bytes_of(key: Key) -> int:
    return ENTRY_BYTES + sys.getsizeof(key) + sum(map(sys.getsizeof, key))


def _source(split: SplitText, fixed: Iterable[int]) -> tuple[str, tuple[int, ...]]:
    """Return the text with some of its literals, the others as in the skeleton, and where each begins.

    Raises ValueError if the literals of the skeleton are others.
    """
    kept = frozenset(fixed)
    texts = [literal if at in kept else _EMPTY[kind] for at, (kind, literal) in enumerate(split.literals)]
    found = [match for match in _LITERAL.finditer(split.skeleton) if match.lastgroup is not None]
    if len(found) != len(texts):
        raise ValueError(split.skeleton)
    grown = accumulate((len(text) - len(match[0]) for text, match in zip(texts, found, strict=True)), initial=0)
    starts = tuple(match.start() + more for match, more in zip(found, grown))  # noqa: B905 - one more than matches
    filling = iter(texts)
    source = _LITERAL.sub(lambda match: match[0] if match.lastgroup is None else next(filling), split.skeleton)
    return source, starts


_NODES: Final[Mapping[str, Callable[..., ValueNode]]] = {"s": StringValueNode, "i": IntValueNode, "f": FloatValueNode}


def _reader(kind: GraphQLInputType) -> Reader:
    named = kind.of_type if isinstance(kind, GraphQLNonNull) else kind

    def read(literal: Literal) -> Any:
        form, text = literal
        if form == "s":
            text = text[1:-1]
            if named is GraphQLString or named is GraphQLID:
                return text
        try:
            return value_from_ast(_NODES[form](value=text), kind)
        except GraphQLError:
            return Undefined

    return read


class _Literals(Visitor):
    """Finds the types of literals in arguments of content fields, by where they begin."""

    def __init__(self, schema: GraphQLSchema, document: DocumentNode, has_code: Callable[[str, str], bool]) -> None:
        super().__init__()
        self.info = TypeInfo(schema)
        self.types: dict[int, GraphQLInputType] = {}
        self.has_code = False
        self._has_code = has_code
        self._roots = {schema.query_type, schema.mutation_type}
        self._compared = _compared_arguments(document)

    def enter_field(self, node: FieldNode, *_: Any) -> None:
        """Note a field with code, and a root field that is none of content: both need the document as it is."""
        parent, field, name = self.info.get_parent_type(), self.info.get_field_def(), node.name.value
        if name == "__typename":
            return
        if parent is None or field is None:
            self.has_code = True
            return
        is_other = parent in self._roots and not isinstance(metadata_of_field(field), RootField)
        self.has_code |= is_other or self._has_code(parent.name, name)

    def enter_argument(self, node: ArgumentNode, *_: Any) -> Any:
        """Skip arguments that validation compares with those of other fields."""
        return SKIP if id(node) in self._compared else None

    def enter_directive(self, *_: Any) -> Any:
        """Skip directives."""
        return SKIP

    def enter_variable_definition(self, *_: Any) -> Any:
        """Skip default values."""
        return SKIP

    def enter_string_value(self, node: StringValueNode, *_: Any) -> None:
        """Note a text."""
        self._note(node)

    def enter_int_value(self, node: IntValueNode, *_: Any) -> None:
        """Note a whole number."""
        self._note(node)

    def enter_float_value(self, node: FloatValueNode, *_: Any) -> None:
        """Note a number."""
        self._note(node)

    def _note(self, node: Node) -> None:
        kind = self.info.get_input_type()
        named = get_named_type(kind)
        if kind is not None and node.loc is not None and is_leaf_type(named) and isinstance(named, GraphQLScalarType):
            self.types[node.loc.start] = kind


def _compared_arguments(document: DocumentNode) -> set[int]:
    """Return the arguments of fields with equal response names, which must be equal if their values are shown in one
    place."""
    fields = _Fields()
    visit(document, fields)
    counts = Counter((node.alias or node.name).value for node in fields.found)
    compared = (node for node in fields.found if counts[(node.alias or node.name).value] > 1)
    return {id(argument) for node in compared for argument in node.arguments}


class _Fields(Visitor):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[FieldNode] = []

    def enter_field(self, node: FieldNode, *_: Any) -> None:
        self.found.append(node)


class _Renaming(Visitor):
    """Replaces literals by variables, by where they begin."""

    def __init__(self, names: Mapping[int, str]) -> None:
        super().__init__()
        self._names = names

    def enter_string_value(self, node: StringValueNode, *_: Any) -> Any:
        """Replace a text."""
        return self._renamed(node)

    def enter_int_value(self, node: IntValueNode, *_: Any) -> Any:
        """Replace a whole number."""
        return self._renamed(node)

    def enter_float_value(self, node: FloatValueNode, *_: Any) -> Any:
        """Replace a number."""
        return self._renamed(node)

    def _renamed(self, node: Node) -> VariableNode | None:
        name = None if node.loc is None else self._names.get(node.loc.start)
        return None if name is None else VariableNode(name=NameNode(value=name, loc=node.loc), loc=node.loc)
