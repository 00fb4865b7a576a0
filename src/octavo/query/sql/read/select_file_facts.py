"""Compile reads whose `formats` of files carry what is needed to add the URLs of transformed images.

Databases cannot compute these URLs. Each `formats` becomes the array `[mark, facts, mark, formats, mark]`, which the
reader replaces. The mark is a secret of the process, so clients cannot get other texts replaced by storing it in an
entry.
"""

from typing import Final

from octavo.query.plan.nesting import Nesting
from octavo.query.plan.nodes import ReadPlan, ScalarShape
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.read.select import SelectCompiler
from octavo.schema.attributes import UPDATED_AT, Scalar
from octavo.schema.content_types import FILE
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import SCALAR_TYPES, ValueKind

_FACTS: Final = ("url", "mime", "provider", "width", "height")
"""The attributes in the facts, in order. The version of the file follows: when it was updated, in milliseconds."""


def compile_read_with_facts(
    plan: ReadPlan,
    registry: Registry,
    dialect: Dialect,
    largest: int,
    found: Nesting,
    most_text: int,
    mark: str,
    *,
    keeps_totals: bool = False,
    keeps_parts: bool = False,
) -> str:
    """Return the same as `compile_read`, with facts beside the `formats` of each file."""
    compiler = _FactsCompiler(registry, dialect, largest, most_text, mark)
    compiler.keeps_totals, compiler.keeps_parts = keeps_totals, keeps_parts
    return compiler.read(plan, found)


class _FactsCompiler(SelectCompiler):
    def __init__(self, registry: Registry, dialect: Dialect, largest: int, most_text: int, mark: str) -> None:
        super().__init__(registry, dialect, largest, most_text)
        self._mark = mark
        self.manner = dialect, mark
        attributes = registry.content_types[FILE].attributes
        self._scalars = {name: one for name, one in attributes.items() if isinstance(one, Scalar)}

    def _scalar(self, shape: ScalarShape, alias: str) -> str:
        found = super()._scalar(shape, alias)
        if shape.attribute is None or shape.attribute is not self._scalars["formats"]:
            return found
        parts = [self.literal(f'["{self._mark}",[')]
        for name in _FACTS:
            attribute = self._scalars[name]
            kind = SCALAR_TYPES[attribute.type].kind
            parts += [self.dialect.json_scalar(kind, self.column(attribute, alias)), "','"]
        moment = self.dialect.milliseconds(self.column(self._scalars[UPDATED_AT], alias))
        version = self.dialect.json_scalar(ValueKind.INTEGER, f"({moment})")
        return self.dialect.concat(
            [*parts, version, self.literal(f'],"{self._mark}",'), found, self.literal(f',"{self._mark}"]')]
        )
