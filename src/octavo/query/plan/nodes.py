"""ReadPlan and its nodes: frozen, hashable trees. Values are not part of the plan; parameters refer to them by index.

Requests of the same shape have equal plans, so the compiled statement is cached by plan.
"""

from dataclasses import field
from enum import Enum
from typing import NamedTuple

from octavo.core.values import dataclass
from octavo.query.operators import Test
from octavo.schema.attributes import AnyAttribute, Scalar
from octavo.schema.content_types import Definition


class ParameterKind(Enum):
    """The type of a parameter, which dialects need to write its placeholder."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    DATE = "date"
    TIME = "time"
    JSON = "json"  # JSON text
    KEY = "key"  # a sort value of an entry, as returned by `Dialect.key_json`
    INSTANT = "instant"  # milliseconds since 1970, UTC


@dataclass(frozen=True, slots=True)
class Parameter:
    """The value of the statement with this `index`, counted from 0."""

    index: int
    kind: ParameterKind


class Slot(Enum):
    """A value that is bound when the statement runs, by its name."""

    ID = "id"
    NOW = "now"
    """The time of the read in milliseconds since 1970, set by the reader."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step from an entry along an attribute to its related entries, files or components.

    Targets that do not match `scope` are excluded from results, counts, comparisons and sorting.
    """

    owner: Definition
    attribute: AnyAttribute
    target: Definition
    scope: "Condition | None" = None


@dataclass(frozen=True, slots=True)
class Tested:
    """A test of a scalar (None: the id). Negated tests exclude nulls."""

    attribute: Scalar | None
    test: Test
    parameters: tuple[Parameter, ...] = ()
    negated: bool = False
    ignores_case: bool = False


@dataclass(frozen=True, slots=True)
class Exists:
    """Some target of a step matches the condition.

    `or_nothing`: entries without a target match as well, like a left join whose right side is null.
    """

    step: Step
    condition: "Condition"
    or_nothing: bool = False


@dataclass(frozen=True, slots=True)
class Linked:
    """The entry is a target of the step from the entry with a given id; `negated`: it is not."""

    step: Step
    source: Parameter
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Unused:
    """No entry and no component refers to the file; `negated`: one does."""

    negated: bool = False


@dataclass(frozen=True, slots=True)
class All:
    """True if every condition is true."""

    items: tuple["Condition", ...]


@dataclass(frozen=True, slots=True)
class Any:
    """True if at least one condition is true."""

    items: tuple["Condition", ...]


@dataclass(frozen=True, slots=True)
class Constant:
    """Always true, or always false."""

    value: bool


Condition = Tested | Exists | Linked | Unused | All | Any | Constant
ALWAYS, NEVER = Constant(True), Constant(False)


@dataclass(frozen=True, slots=True)
class Order:
    """Order by a scalar (None: the id) of the entry itself, or at the end of some steps. Entries that do not match
    `guard` are sorted as if they had no value."""

    attribute: Scalar | None
    descending: bool = False
    steps: tuple[Step, ...] = ()
    guard: "Condition | None" = None


@dataclass(frozen=True, slots=True)
class Seek:
    """The position after an entry: one sort value for each order (None: null), and the entry's id."""

    keys: tuple[Parameter | None, ...]
    entry_id: Parameter


@dataclass(frozen=True, slots=True)
class Selection:
    """The entries to read, their order and their number. Without `order`: in link order, or by id.

    `reach` is a round upper bound of the page's end, if it has one: a constant helps query planners.
    """

    target: Definition
    condition: Condition = ALWAYS
    order: tuple[Order, ...] = ()
    limit: Parameter | None = None
    start: Parameter | None = None
    reach: int | None = None
    seek: Seek | None = None
    """The position that the page starts after. Totals ignore it."""
    backwards: bool = False
    """Whether the link order, which breaks ties, is reversed."""


class ScalarStyle(Enum):
    """The JSON format of a scalar: as in REST, as text (GraphQL ids), as in GraphQL (numbers as numbers)."""

    PLAIN = "plain"
    TEXT = "text"
    TYPED = "typed"


@dataclass(frozen=True, slots=True)
class ScalarShape:
    """The JSON of a scalar of the current entry (None: its id). `renamed` maps stored texts to returned texts."""

    attribute: Scalar | None
    style: ScalarStyle = ScalarStyle.PLAIN
    renamed: tuple[tuple[str, str], ...] = ()

    def __hash__(self) -> int:
        return hash(self.attribute)


class RenderedRun(NamedTuple):
    """The SQL of a run: its first key, and the expressions of the values, with the other keys as literals between them.

    They are joined to one text, so that an alias is inserted into all of them at once. `size` is that of all texts.
    """

    key: str
    text: str
    size: int


@dataclass(frozen=True, slots=True)
class ScalarRun:
    """Consecutive scalar members of an object, combined into one node.

    `whole`: all scalars that a definition shows. There is one such run per definition, so its rendered keys and values
    are cached on it by rendering style. The hash is computed once.
    """

    members: tuple[tuple[str, ScalarShape], ...]
    whole: bool = field(default=False, compare=False)
    rendered: dict[object, "RenderedRun"] = field(default_factory=dict, init=False, compare=False, repr=False)
    _hash: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash(self.members))

    def __hash__(self) -> int:
        return self._hash

    @property
    def is_shared(self) -> bool:
        """Whether it belongs to its definition, so that plans share it."""
        return self.whole


@dataclass(frozen=True, slots=True)
class LiteralShape:
    """JSON that is the same for every entry."""

    json: str


@dataclass(frozen=True, slots=True)
class ObjectShape:
    """A JSON object. An optional member is left out if its shape has nothing to show. If a scalar of `required` is
    null, its JSON replaces the whole object."""

    members: tuple["Member", ...]
    optional: tuple[tuple[str, "Shape"], ...] = ()
    required: tuple[tuple[Scalar, str], ...] = ()


@dataclass(frozen=True, slots=True)
class OneShape:
    """The JSON of the first target of a step, or `missing` without one."""

    step: Step
    selection: Selection
    shape: "Shape"
    missing: str = "null"


@dataclass(frozen=True, slots=True)
class ManyShape:
    """A JSON array of the targets of a step, or `empty` without any."""

    step: Step
    selection: Selection
    shape: "Shape"
    empty: str = "[]"


@dataclass(frozen=True, slots=True)
class CountShape:
    """The number of targets of a step."""

    step: Step
    selection: Selection


@dataclass(frozen=True, slots=True)
class GuardShape:
    """A shape for entries that match a condition; for others `otherwise`, or nothing. In a component, the condition
    applies to the entry that contains it."""

    condition: Condition
    shape: "Shape"
    otherwise: str = ""


@dataclass(frozen=True, slots=True)
class BranchShape:
    """The shape for one type: a component of a zone, or a content type at the end of a morph relation."""

    target: Definition
    condition: Condition
    shape: "Shape"


@dataclass(frozen=True, slots=True)
class KindShape:
    """The UID of a component, between two texts."""

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class VariantShape:
    """The JSON of targets of several types: an array (zones, morphToMany), or one object or null (morphToOne).

    With an empty `empty` text, the member is left out (see `ObjectShape.optional`). `others` is the shape, in a
    dynamic zone, of each component of the project without a branch; with None, these are left out. With `wrapped`, the
    array is the `data` of an object.
    """

    owner: Definition
    attribute: AnyAttribute
    branches: tuple[BranchShape, ...]
    many: bool = True
    empty: str = "[]"
    wrapped: bool = False
    others: KindShape | LiteralShape | None = None


Member = tuple[str, "Shape"] | ScalarRun
Shape = ScalarShape | LiteralShape | ObjectShape | OneShape | ManyShape | CountShape | GuardShape | VariantShape


@dataclass(frozen=True, slots=True)
class ReadPlan:
    """A read: one entry or a list, the JSON shape of each entry, and whether to count the total, at most up to
    `most_counted`. `with_keys`: the sort values of the entries are returned, too. `withholds_private`: the URLs of
    private files are not signed."""

    selection: Selection
    shape: Shape
    many: bool = True
    with_count: bool = False
    most_counted: Parameter | None = None
    with_keys: bool = False
    withholds_private: bool = False
    _hash: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash(self._parts()))

    def _parts(self) -> tuple[object, ...]:
        kinds = self.many, self.with_count, self.with_keys, self.withholds_private
        return self.selection, self.shape, self.most_counted, kinds

    def __hash__(self) -> int:
        return self._hash  # computed once: each new plan is looked up in the cache, then stored

    @property
    def is_cheap(self) -> bool:
        """Return whether the read, without populated data, is certainly fast: one entry or a plain list's first
        page."""
        skips = self.selection.start is not None or self.selection.seek is not None
        return not self.many or (not skips and isinstance(self.selection.condition, Tested))
