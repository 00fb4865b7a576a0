"""Compile reads with marked file URLs, for storage providers whose URLs have to be signed after the query.

Databases cannot sign URLs. The mark is a secret of the process, so clients cannot get other texts signed by storing
the mark in an entry.
"""

from octavo.query.plan.nodes import ScalarShape
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.read.select import SelectCompiler
from octavo.schema.content_types import FILE
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import SCALAR_TYPES


class MarkedUrlsCompiler(SelectCompiler):
    """Marks the two attributes that hold URLs: a text, and JSON that Octavo writes."""

    def __init__(
        self, registry: Registry, dialect: Dialect, largest: int, most_text: int | None, *, mark: str, **kept: bool
    ) -> None:
        super().__init__(registry, dialect, largest, most_text, **kept)
        self._mark = mark
        self.manner = dialect, mark
        attributes = registry.content_types[FILE].attributes
        self._url, self._formats = attributes["url"], attributes["formats"]

    def _scalar(self, shape: ScalarShape, alias: str) -> str:
        attribute = shape.attribute
        if attribute is not None and attribute is self._url:
            marked = self.dialect.concat_or_null(self.literal(self._mark), self.column(attribute, alias))
            return self.dialect.json_scalar(SCALAR_TYPES[attribute.type].kind, f"({marked})")
        found = super()._scalar(shape, alias)
        if attribute is not None and attribute is self._formats:
            for begin in ('"url":"', '"url": "'):
                found = f"replace({found}, {self.literal(begin)}, {self.literal(begin + self._mark)})"
        return found
