"""ReadPlan and its parts: frozen, hashable trees. Values are not in the plan; parameters point to them by number.

Two requests of the same shape have equal plans, so a compiled statement is found by its plan.
"""

from dataclasses import field
from enum import Enum

from octavo.core.values import dataclass
from octavo.query.operators import Test
from octavo.schema.attributes import AnyAttribute, Scalar
from octavo.schema.content_types import Definition


class ParameterKind(Enum):
    """What a parameter holds, so that each dialect can say it in its own way."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    DATE = "date"
    TIME = "time"
    JSON = "json"  # JSON text
    KEY = "key"  # what entries are sorted by, as `Dialect.key_json` told it
    INSTANT = "instant"  # milliseconds since 1970, UTC


@dataclass(frozen=True, slots=True)
class Parameter:
    """The value number `index` (from 0) of the statement."""

    index: int
    kind: ParameterKind


class Slot(Enum):
    """A value of a statement that is known when it runs, not when it is planned; by the name it is bound with."""

    ID = "id"
    NOW = "now"
    """The moment of the read, in milliseconds since 1970: the reader knows it."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step from an entry along an attribute to what it leads to: related entries, files, components.

    It leads only to what meets `scope`: nothing else is shown, counted, compared or sorted by.
    """

    owner: Definition
    attribute: AnyAttribute
    target: Definition
    scope: "Condition | None" = None


@dataclass(frozen=True, slots=True)
class Tested:
    """A scalar (None: the id), compared. Negated tests exclude nulls."""

    attribute: Scalar | None
    test: Test
    parameters: tuple[Parameter, ...] = ()
    negated: bool = False
    ignores_case: bool = False


@dataclass(frozen=True, slots=True)
class Exists:
    """Some entry at the end of a step meets the condition.

    `or_nothing`: entries from which the step leads nowhere meet it too, as in a left join whose missing side is null.
    """

    step: Step
    condition: "Condition"
    or_nothing: bool = False


@dataclass(frozen=True, slots=True)
class Linked:
    """An entry at the end of a step from the entry with a certain id; `negated`: one that is not."""

    step: Step
    source: Parameter
    negated: bool = False


@dataclass(frozen=True, slots=True)
class All:
    """Every one of the conditions."""

    items: tuple["Condition", ...]


@dataclass(frozen=True, slots=True)
class Any:
    """At least one of the conditions."""

    items: tuple["Condition", ...]


@dataclass(frozen=True, slots=True)
class Constant:
    """Always, or never."""

    value: bool


Condition = Tested | Exists | Linked | All | Any | Constant
ALWAYS, NEVER = Constant(True), Constant(False)


@dataclass(frozen=True, slots=True)
class Order:
    """Order by a scalar (None: the id) of the entry itself, or at the end of some steps. A `guard` says for which
    entries its own value counts; others are as those without one."""

    attribute: Scalar | None
    descending: bool = False
    steps: tuple[Step, ...] = ()
    guard: "Condition | None" = None


@dataclass(frozen=True, slots=True)
class Seek:
    """Behind an entry: what it is sorted by, one value for each order (None: it has none), and its id."""

    keys: tuple[Parameter | None, ...]
    entry_id: Parameter


@dataclass(frozen=True, slots=True)
class Selection:
    """Which entries, in which order, how many. Without order: the order of the step that led here, or by id.

    `reach` is a round number that the page ends before, if it ends early: what databases can plan with.
    """

    target: Definition
    condition: Condition = ALWAYS
    order: tuple[Order, ...] = ()
    limit: Parameter | None = None
    start: Parameter | None = None
    reach: int | None = None
    seek: Seek | None = None
    """What the page comes behind; totals do not ask."""
    backwards: bool = False
    """Whether the order of the step that led here, which decides last, counts from its end."""


class ScalarStyle(Enum):
    """How a scalar is written in JSON: as REST does, as text (GraphQL ids), as GraphQL does (numbers as numbers)."""

    PLAIN = "plain"
    TEXT = "text"
    TYPED = "typed"


@dataclass(frozen=True, slots=True)
class ScalarShape:
    """The JSON of a scalar of the current entry (None: its id). `renamed`: other texts for some stored ones."""

    attribute: Scalar | None
    style: ScalarStyle = ScalarStyle.PLAIN
    renamed: tuple[tuple[str, str], ...] = ()

    def __hash__(self) -> int:
        return hash(self.attribute)


@dataclass(frozen=True, slots=True)
class ScalarRun:
    """Members of an object that are scalars, one after another: one node for all of them.

    `whole`: all that a definition shows. There is one such run for each definition, so what it is rendered as, keys and
    values by the manner of rendering, is kept with it; its hash is counted once.
    """

    members: tuple[tuple[str, ScalarShape], ...]
    whole: bool = field(default=False, compare=False)
    rendered: dict[object, list[tuple[str, str]]] = field(default_factory=dict, init=False, compare=False, repr=False)
    _hash: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash(self.members))

    def __hash__(self) -> int:
        return self._hash


@dataclass(frozen=True, slots=True)
class LiteralShape:
    """JSON that does not depend on the entry."""

    json: str


@dataclass(frozen=True, slots=True)
class ObjectShape:
    """A JSON object. An optional member is absent where its shape has nothing to show. Where a scalar of `required` is
    null, its JSON stands in the place of the object."""

    members: tuple["Member", ...]
    optional: tuple[tuple[str, "Shape"], ...] = ()
    required: tuple[tuple[Scalar, str], ...] = ()


@dataclass(frozen=True, slots=True)
class OneShape:
    """The JSON of the first entry at the end of a step; `missing` if there is none."""

    step: Step
    selection: Selection
    shape: "Shape"
    missing: str = "null"


@dataclass(frozen=True, slots=True)
class ManyShape:
    """A JSON array of the entries at the end of a step; `empty` is the JSON when there are none."""

    step: Step
    selection: Selection
    shape: "Shape"
    empty: str = "[]"


@dataclass(frozen=True, slots=True)
class CountShape:
    """The number of entries at the end of a step."""

    step: Step
    selection: Selection


@dataclass(frozen=True, slots=True)
class GuardShape:
    """A shape for entries that meet a condition; of others `otherwise` is shown, or nothing. In a component, the
    condition is about the entry around it."""

    condition: Condition
    shape: "Shape"
    otherwise: str = ""


@dataclass(frozen=True, slots=True)
class BranchShape:
    """What to write for one kind: a component of a zone, a content-type at the end of a morph relation."""

    target: Definition
    condition: Condition
    shape: "Shape"


@dataclass(frozen=True, slots=True)
class KindShape:
    """The kind of a component, between two texts."""

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class VariantShape:
    """The JSON of things of several kinds: an array (zones, morphToMany), or one object or null (morphToOne).

    An `empty` without text means: nothing to show (see ObjectShape.optional). `others` is what to write, in a dynamic
    zone, for each component of the project that has no branch; None leaves these out.
    A `wrapped` array is the `data` of an object.
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
    """A read: one entry or a list, the shape of each entry's JSON, and whether the total is wanted too: counted no
    further than `most_counted`. `with_keys`: what its entries are sorted by is told, too."""

    selection: Selection
    shape: Shape
    many: bool = True
    with_count: bool = False
    most_counted: Parameter | None = None
    with_keys: bool = False
    _hash: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash(self._parts()))

    def _parts(self) -> tuple[object, ...]:
        return self.selection, self.shape, self.many, self.with_count, self.most_counted, self.with_keys

    def __hash__(self) -> int:
        return self._hash  # counted once: a new plan is looked for, then kept

    @property
    def is_cheap(self) -> bool:
        """Whether it surely takes little time, but for what is populated: one entry, the first page of a plain list."""
        skips = self.selection.start is not None or self.selection.seek is not None
        return not self.many or (not skips and isinstance(self.selection.condition, Tested))
