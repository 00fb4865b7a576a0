"""Read values from a definition. A value of the wrong JSON type is recorded as a problem, without an exception."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from octavo.core.values import dataclass
from octavo.schema.custom_fields import CustomFields
from octavo.schema.problems import DefinitionProblem, did_you_mean, warning


@dataclass(slots=True)
class Reader:
    """Reads one definition and records its problems. `source` is the file, for messages; paths start at its root."""

    source: str
    problems: list[DefinitionProblem]
    custom_fields: CustomFields = field(default_factory=CustomFields)

    def note(self, path: str, message: str) -> None:
        """Record a problem at a JSON path."""
        self.problems.append(DefinitionProblem(self.source, path, message))

    def mapping(self, raw: Mapping[str, Any], key: str, path: str = "") -> Mapping[str, Any]:
        """Return an object; empty if it is missing."""
        value = raw.get(key)
        if value is None:
            return {}
        if isinstance(value, Mapping):
            return value
        self.note(_joined(path, key), f"must be an object, not {_shown(value)}")
        return {}

    def text(self, raw: Mapping[str, Any], key: str, path: str = "") -> str | None:
        """Return a text that is not empty, or None if it is missing."""
        value = raw.get(key)
        if value is None or value == "":
            return None
        if isinstance(value, str):
            return value
        self.note(_joined(path, key), f"must be a string, not {_shown(value)}")
        return None

    def required_text(self, raw: Mapping[str, Any], key: str, path: str, default: str) -> str:
        """Return a required text. If it is missing, record a problem and return `default`."""
        count = len(self.problems)
        value = self.text(raw, key, path)
        if value is None and len(self.problems) == count:
            self.note(_joined(path, key), "is missing")
        return value or default

    def flag(self, raw: Mapping[str, Any], key: str, *, default: bool = False) -> bool:
        """Return a boolean option. Values other than true and false are ignored."""
        value = raw.get(key)
        return value is not False if default else value is True

    def number(self, raw: Mapping[str, Any], key: str, path: str) -> float | int | None:
        """Return a number, which may be written as a text."""
        value = raw.get(key)
        if value is None or value == "":
            return None
        if isinstance(value, str):
            try:
                return int(value) if value.strip().lstrip("+-").isdecimal() else float(value)
            except ValueError:
                pass
        elif isinstance(value, int | float) and not isinstance(value, bool):
            return value
        self.note(_joined(path, key), f"must be a number, not {_shown(value)}")
        return None

    def whole(self, raw: Mapping[str, Any], key: str, path: str) -> int | None:
        """Return an integer."""
        number = self.number(raw, key, path)
        if number is None or number == number // 1:
            return None if number is None else int(number)
        self.note(_joined(path, key), f"must be a whole number, not {_shown(number)}")
        return None

    def texts(self, raw: Mapping[str, Any], key: str, path: str = "", *, required: bool = False) -> tuple[str, ...]:
        """Return a list of texts; empty if it is missing."""
        value = raw.get(key)
        if value is None and not required:
            return ()
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        self.note(_joined(path, key), f"must be a list of strings, not {_shown(value)}")
        return ()

    def custom_field_type(self, raw: Mapping[str, Any], path: str) -> str:
        """Return the storage type of a custom field."""
        name, known = str(raw.get("customField")), self.custom_fields.known
        word = self.custom_fields.type_of(name)
        if name not in known:
            stored_as = f"{word!r}, as its column has them" if name in self.custom_fields.found else repr(word)
            otherwise = "name their type under `customFields` in `config/api.toml`"
            hint = did_you_mean(name, known, otherwise, likeness=0.9)
            message = f"unknown custom field {name!r}: its values are treated as {stored_as}; {hint}"
            self.problems.append(warning(self.source, f"{path}.customField", message))
        return word


def unknown(what: str, value: object, known: frozenset[str] | Mapping[str, Any]) -> str:
    """Return the message for an unknown word, with the most similar known one."""
    hint = did_you_mean(str(value), known, f"expected one of {', '.join(sorted(known))}")
    return f"unknown {what} {_shown(value)}; {hint}"


def _joined(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _shown(value: object) -> str:
    """Format a value in a message: shortened, and null as in JSON."""
    text = "null" if value is None else repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
