"""`app.custom`: custom settings of the project, from `[custom]` in config/server.toml and the environment."""

from collections.abc import Iterator, Mapping
from typing import Any

from octavo.project.naming import did_you_mean


class MissingSetting(KeyError):
    """There is no custom setting with this name."""

    def __str__(self) -> str:
        return str(self.args[0])


class Custom(Mapping[str, Any]):
    """The custom settings, as a mapping. Tables in it are also of this type.

    Use dots for names in tables: `app.custom["mail.sender"]`. `get(name, default)` returns a default. An unknown name
    raises a `KeyError` that suggests the nearest one.
    """

    def __init__(self, values: Mapping[str, Any], place: str = "custom") -> None:
        self._values = values
        self._place = place

    def __getitem__(self, name: str) -> Any:
        first, _, rest = name.partition(".")
        if first not in self._values:
            hint = did_you_mean(first, self._values)
            raise MissingSetting(f"config/server.toml has no setting {self._place}.{first}{hint}")
        value = self._values[first]
        if isinstance(value, Mapping):
            inside = Custom(value, f"{self._place}.{first}")
            return inside[rest] if rest else inside
        if rest:
            raise MissingSetting(f"the setting {self._place}.{first} is not a table, so it has no {rest}")
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"<settings {self._place}: {', '.join(self._values) or 'none'}>"
