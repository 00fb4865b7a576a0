"""Reads values out of a definition. Whatever is of the wrong JSON type is noted as a problem, never an exception."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from octavo.core.values import dataclass
from octavo.schema.custom_fields import CustomFields
from octavo.schema.problems import DefinitionProblem, did_you_mean, warning


@dataclass(slots=True)
class Reader:
    """Reads one definition and notes its problems. `source` is the file, for the messages; paths begin at its top."""

    source: str
    problems: list[DefinitionProblem]
    custom_fields: CustomFields = field(default_factory=CustomFields)

    def note(self, path: str, message: str) -> None:
        """Note a problem at a JSON path."""
        self.problems.append(DefinitionProblem(self.source, path, message))

    def mapping(self, raw: Mapping[str, Any], key: str, path: str = "") -> Mapping[str, Any]:
        """An object; empty when it is missing."""
        value = raw.get(key)
        if value is None:
            return {}
        if isinstance(value, Mapping):
            return value
        self.note(_joined(path, key), f"must be an object, not {_shown(value)}")
        return {}

    def text(self, raw: Mapping[str, Any], key: str, path: str = "") -> str | None:
        """A text that is not empty; None when it is missing."""
        value = raw.get(key)
        if value is None or value == "":
            return None
        if isinstance(value, str):
            return value
        self.note(_joined(path, key), f"must be a text, not {_shown(value)}")
        return None

    def required_text(self, raw: Mapping[str, Any], key: str, path: str, default: str) -> str:
        """A text that must be there. After noting that it is not, `default` stands in."""
        count = len(self.problems)
        value = self.text(raw, key, path)
        if value is None and len(self.problems) == count:
            self.note(_joined(path, key), "is missing")
        return value or default

    def flag(self, raw: Mapping[str, Any], key: str, *, default: bool = False) -> bool:
        """Whether a switch is on (or, where the default is on, not off). Only true and false count."""
        value = raw.get(key)
        return value is not False if default else value is True

    def number(self, raw: Mapping[str, Any], key: str, path: str) -> float | int | None:
        """A number, also written as a text."""
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
        """A whole number."""
        number = self.number(raw, key, path)
        if number is None or number == number // 1:
            return None if number is None else int(number)
        self.note(_joined(path, key), f"must be a whole number, not {_shown(number)}")
        return None

    def texts(self, raw: Mapping[str, Any], key: str, path: str = "", *, required: bool = False) -> tuple[str, ...]:
        """A list of texts; empty when it is missing."""
        value = raw.get(key)
        if value is None and not required:
            return ()
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        self.note(_joined(path, key), f"must be a list of texts, not {_shown(value)}")
        return ()

    def custom_field_type(self, raw: Mapping[str, Any], path: str) -> str:
        """The type word that the values of a custom field are stored as."""
        name, known = str(raw.get("customField")), self.custom_fields.known
        word = self.custom_fields.type_of(name)
        if name not in known:
            told = f"{word!r}, as its column has them" if name in self.custom_fields.found else repr(word)
            otherwise = "name their type under `customFields` in `config/api.toml`"
            hint = did_you_mean(name, known, otherwise, likeness=0.9)
            message = f"unknown custom field {name!r}: its values are taken as {told}; {hint}"
            self.problems.append(warning(self.source, f"{path}.customField", message))
        return word


def unknown(what: str, value: object, known: frozenset[str] | Mapping[str, Any]) -> str:
    """The message for a word that is none of those known, with the one probably meant."""
    hint = did_you_mean(str(value), known, f"expected one of {', '.join(sorted(known))}")
    return f"unknown {what} {_shown(value)}; {hint}"


def _joined(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _shown(value: object) -> str:
    """A value in a message: short, and null where JSON says null."""
    text = "null" if value is None else repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
