"""Compile reads with marked file URLs, for storage providers whose URLs have to be signed after the query.

Databases cannot sign URLs. The mark is a secret of the process, so clients cannot get other texts signed by storing
the mark in an entry.
"""

from octavo.query.plan.nodes import ScalarShape
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.read.select import SelectCompiler
from octavo.schema.attributes import Attribute, Scalar
from octavo.schema.content_types import FILE
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import SCALAR_TYPES


def _scalar(attribute: Attribute) -> Scalar:
    assert isinstance(attribute, Scalar)
    return attribute


class MarkedUrlsCompiler(SelectCompiler):
    """Marks the two attributes that hold URLs: a text, and JSON that Octavo writes."""

    def __init__(
        self, registry: Registry, dialect: Dialect, largest: int, most_text: int | None, *, url_mark: str, **kept: bool
    ) -> None:
        super().__init__(registry, dialect, largest, most_text, **kept)
        self._url_mark = url_mark
        self.manner = dialect, url_mark
        attributes = registry.content_types[FILE].attributes
        self._url, self._formats = _scalar(attributes["url"]), attributes["formats"]

    def _scalar(self, shape: ScalarShape, alias: str) -> str:
        attribute = shape.attribute
        if attribute is not None and attribute is self._url:
            return self.dialect.json_scalar(SCALAR_TYPES[attribute.type].kind, f"({self.marked_url(alias)})")
        scalar = super()._scalar(shape, alias)
        if attribute is not None and attribute is self._formats:
            marked = scalar
            for begin in ('"url":"', '"url": "'):
                marked = f"replace({marked}, {self.literal(begin)}, {self.literal(begin + self._url_mark)})"
            return self.choose(alias, marked, scalar)
        return scalar

    def marked_url(self, alias: str) -> str:
        """Return the SQL for the URL of a file, with the mark."""
        url = self.column(self._url, alias)
        return self.choose(alias, self.dialect.concat_or_null(self.literal(self._url_mark), url), url)

    def choose(self, alias: str, marked: str, unmarked: str) -> str:
        """Return the SQL to use: here, all URLs are marked."""
        return marked


class PrivateUrlsCompiler(MarkedUrlsCompiler):
    """Marks the URLs of private files only."""

    def choose(self, alias: str, marked: str, unmarked: str) -> str:
        is_private = f"EXISTS (SELECT 1 FROM octavo_private_files WHERE file_id = {alias}.id)"
        return f"CASE WHEN {is_private} THEN {marked} ELSE {unmarked} END"
