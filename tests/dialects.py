"""All dialects by name, for parametrized tests."""

from collections.abc import Mapping
from typing import Final

from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.dialects.mysql import MYSQL
from octavo.query.sql.dialects.postgresql import POSTGRESQL
from octavo.query.sql.dialects.sqlite import SQLITE

DIALECTS: Final[Mapping[str, Dialect]] = {dialect.name: dialect for dialect in (SQLITE, POSTGRESQL, MYSQL)}
