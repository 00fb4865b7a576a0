"""Pairs of attribute options, with the values at their boundaries, for creates, drafts and updates.

Values are tried in each possible place: an entry, a component, a dynamic zone, a nested component.

`reference.json` contains the responses of Strapi 4.26.2 (`python -m tests.content.validation_matrix.record`).
"""

import json
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, Final, NamedTuple

PATTERN: Final = "^[a-z]+$"
ABSENT: Final = "(absent)"
KINDS: Final[dict[str, tuple[dict[str, Any], tuple[Any, ...], Any]]] = {
    "string": (
        {"required": True, "regex": PATTERN, "minLength": 2, "maxLength": 4, "default": "dd"},
        (ABSENT, None, "", "a", "ab", "abcd", "abcde", "A1", 5),
        "abc",
    ),
    "text": ({"required": True, "regex": PATTERN, "minLength": 2}, (ABSENT, None, "", "a", "ab", "A1"), "abc"),
    "email": (
        {"required": True, "minLength": 8, "maxLength": 12, "default": "abcd@ef.io"},
        (ABSENT, None, "", "a@b.io", "abcd@ef.io", "abcdefgh@ij.io", "x"),
        "abcd@ef.io",
    ),
    "integer": (
        {"required": True, "min": 2, "max": 5, "default": 3},
        (ABSENT, None, "", 1, 2, 5, 6, "3", 2.5),
        4,
    ),
    "decimal": ({"required": True, "min": 2, "max": 5}, (ABSENT, None, "", 1.9, 2, 5, 5.1), 4),
    "biginteger": (
        {"required": True, "min": "2", "max": "5", "default": "3"},
        (ABSENT, None, 1, 2, 5, 6, "3", "1"),
        "4",
    ),
    "enumeration": ({"required": True, "default": "x"}, (ABSENT, None, "", "x", "no"), "y"),
    "boolean": ({"required": True, "default": True}, (ABSENT, None, "", False, "x"), True),
    "date": ({"required": True, "default": "2020-02-02"}, (ABSENT, None, "2021-01-01", "x"), "2021-01-01"),
    "json": ({"required": True}, (ABSENT, None, "", {}, 0), {"a": 1}),
}
LISTS: Final = ({"required": True, "min": 2, "max": 3}, (0, 1, 2, 3, 4))
"""Options of repeatable components and dynamic zones, and numbers of items."""
PLACES: Final = ("entry", "component", "zone", "nested", "kept")
"""`kept`: an existing component of the entry, named by its id; only for updates."""
INSIDE: Final = frozenset({"string", "integer", "biginteger", "enumeration"})
"""Types that are tried in components as well."""
WRITES: Final = ("create", "draft", "update")
RECORD: Final = Path(__file__).parent / "reference.json"


class Case(NamedTuple):
    """A value for one attribute of one place, in one write."""

    attribute: str
    value: Any
    place: str
    write: str

    @property
    def key(self) -> str:
        return f"{self.attribute} {json.dumps(self.value)} {self.place} {self.write}"


def attributes() -> dict[str, dict[str, Any]]:
    """Return an attribute for each option of each type, and for each pair of options."""
    found = {}
    for kind, (options, _, _) in KINDS.items():
        enum = {"enum": ["x", "y"]} if kind == "enumeration" else {}
        for chosen in (*((name,) for name in options), *combinations(options, 2)):
            name = "_".join((kind, *chosen)).lower()
            found[name] = {"type": kind, **enum, **{option: options[option] for option in chosen}}
    return found


def lists() -> dict[str, dict[str, Any]]:
    """Return a repeatable component and a dynamic zone for each option, and for each pair of options."""
    options, found = LISTS[0], {}
    for chosen in (*((name,) for name in options), *combinations(options, 2)):
        given = {option: options[option] for option in chosen}
        suffix = "_".join(chosen).lower()
        found[f"items_{suffix}"] = {"type": "component", "component": "m.small", "repeatable": True, **given}
        found[f"zone_{suffix}"] = {"type": "dynamiczone", "components": ["m.small"], **given}
    return found


def cases() -> Iterator[Case]:
    """Yield every case: in entries all of them, in components those with two options, created and updated."""
    for name, attribute in attributes().items():
        for value in KINDS[attribute["type"]][1]:
            yield from (Case(name, value, "entry", write) for write in WRITES)
            if attribute["type"] in INSIDE and name.count("_") > 1:
                yield from (Case(name, value, place, "create") for place in PLACES[1:4])
                yield from (Case(name, value, place, "update") for place in PLACES[1:])
    for name in lists():
        for count in (ABSENT, None, *LISTS[1]):
            for write in WRITES:
                yield Case(name, count, "entry", write)


def items(name: str, count: Any) -> Any:
    if not isinstance(count, int):
        return count
    item = {"note": "n", **({"__component": "m.small"} if name.startswith("zone") else {})}
    return [item] * count


def valid() -> dict[str, Any]:
    """Return valid values for every attribute of `attributes`."""
    return {name: KINDS[attribute["type"]][2] for name, attribute in attributes().items()}


def valid_lists() -> dict[str, Any]:
    return {name: items(name, 2) for name in lists()}


def definitions() -> dict[str, dict[str, Any]]:
    """Return the files of the project, below `src/`."""

    def component(name: str, given: dict[str, Any]) -> dict[str, Any]:
        return {"collectionName": f"components_m_{name}s", "info": {"displayName": name}, "attributes": given}

    def kind(name: str, given: dict[str, Any]) -> dict[str, Any]:
        info = {"singularName": name, "pluralName": f"{name}s", "displayName": name}
        options = {"draftAndPublish": True}
        return {"kind": "collectionType", "collectionName": f"{name}s", "info": info, "options": options} | {
            "attributes": given
        }

    holder = {
        "part": {"type": "component", "component": "m.whole"},
        "zone": {"type": "dynamiczone", "components": ["m.whole"]},
        "nest": {"type": "component", "component": "m.outer"},
    }
    return {
        "components/m/small.json": component("small", {"note": {"type": "string"}}),
        "components/m/whole.json": component("whole", attributes()),
        "components/m/outer.json": component("outer", {"inner": {"type": "component", "component": "m.whole"}}),
        "api/plain/content-types/plain/schema.json": kind("plain", attributes() | lists()),
        "api/holder/content-types/holder/schema.json": kind("holder", holder),
    }


class Request(NamedTuple):
    """The request of a case; an update is sent to an entry that was created with `before`."""

    path: str
    data: dict[str, Any]
    before: dict[str, Any] | None


def request_of(case: Case) -> Request:
    is_list = case.attribute in lists()
    value = items(case.attribute, case.value) if is_list else case.value
    given = {} if case.value == ABSENT else {case.attribute: value}
    whole = {name: one for name, one in valid().items() if name != case.attribute} | given
    before: dict[str, Any] = {}
    match case.place:
        case "entry":
            before = valid() | valid_lists()
            data = {name: one for name, one in before.items() if name != case.attribute} | given
            data = given if case.write == "update" else data
        case "component":
            data, before = {"part": whole}, {"part": valid()}
        case "zone":
            data = {"zone": [{"__component": "m.whole", **whole}]}
        case "nested":
            data, before = {"nest": {"inner": whole}}, {"nest": {"inner": valid()}}
        case _:
            data, before = {"part": {"id": "(id)", **given}}, {"part": valid()}
    if case.write == "draft":
        data = {**data, "publishedAt": None}
    path = "plains" if case.place == "entry" else "holders"
    return Request(path, data, before if case.write == "update" else None)
