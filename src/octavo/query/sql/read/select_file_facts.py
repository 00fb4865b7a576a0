"""Compile reads whose `formats` of files carry what is needed to add the URLs of transformed images.

Databases cannot compute these URLs. Each `formats` becomes the array `[mark, facts, mark, formats, mark]`, which the
reader replaces. The mark is a secret of the process, so clients cannot get other texts replaced by storing it in an
entry.
"""

from typing import Any, Final

from octavo.query.plan.nodes import ScalarShape
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.read.select import SelectCompiler
from octavo.query.sql.read.select_signed_urls import PrivateUrlsCompiler
from octavo.schema.attributes import UPDATED_AT, Scalar
from octavo.schema.content_types import FILE
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import SCALAR_TYPES, ValueKind

_FACTS: Final = ("url", "mime", "provider", "width", "height")
"""The attributes in the facts, in order. Two more follow: when the file was updated, in milliseconds, which is its
version, and its placeholder."""
_PLACEHOLDER: Final = "coalesce((SELECT placeholder FROM octavo_image_placeholders WHERE file_id = {alias}.id), 'null')"


class FileFactsCompiler(SelectCompiler):
    """Adds facts beside the `formats` of each file."""

    def __init__(
        self, registry: Registry, dialect: Dialect, largest: int, most_text: int | None, *, mark: str, **kept: Any
    ) -> None:
        super().__init__(registry, dialect, largest, most_text, **kept)
        self._mark = mark
        self.manner = self.manner, mark
        attributes = registry.content_types[FILE].attributes
        self._scalars = {name: one for name, one in attributes.items() if isinstance(one, Scalar)}

    def _scalar(self, shape: ScalarShape, alias: str) -> str:
        scalar = super()._scalar(shape, alias)
        if shape.attribute is None or shape.attribute is not self._scalars["formats"]:
            return scalar
        parts = [self.literal(f'["{self._mark}",[')]
        for name in _FACTS:
            attribute = self._scalars[name]
            kind = SCALAR_TYPES[attribute.type].kind
            column = self.url_fact(alias) if name == "url" else self.column(attribute, alias)
            parts += [self.dialect.json_scalar(kind, column), "','"]
        moment = self.dialect.milliseconds(self.column(self._scalars[UPDATED_AT], alias))
        version = self.dialect.json_scalar(ValueKind.INTEGER, f"({moment})")
        parts += [version, "','", _PLACEHOLDER.format(alias=alias)]
        end, last = (self.literal(text) for text in (f'],"{self._mark}",', f',"{self._mark}"]'))
        return self.dialect.concat([*parts, end, scalar, last])

    def url_fact(self, alias: str) -> str:
        """Return the SQL for the URL in the facts."""
        return self.column(self._scalars["url"], alias)


class PrivateFileFactsCompiler(FileFactsCompiler, PrivateUrlsCompiler):
    """Also marks the URLs of private files, including those in the facts."""

    def url_fact(self, alias: str) -> str:
        return f"({self.marked_url(alias)})"
