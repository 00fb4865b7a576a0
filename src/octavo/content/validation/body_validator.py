"""Validate data against attributes. Reports all problems, each with its path, in Strapi's order.

Values are returned converted. Facts from the database (which unique values are taken) are passed as `taken`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from orjson import JSONDecodeError, loads

from octavo.content.input_path import TOP, InputPath
from octavo.content.validation.block_rules import check_blocks
from octavo.content.validation.scalar_rules import Mode, check_scalar
from octavo.core.errors import Problem
from octavo.core.forms.printing import MISSING, type_message
from octavo.core.values import dataclass
from octavo.schema.attributes import AnyAttribute, ComponentField, DynamicZone, Media, Relation, Scalar
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry
from octavo.schema.shared_values import is_unique

COMPONENT_KEY = "__component"
UNIQUE_MESSAGE = "This attribute must be unique"

# Strapi validates all attributes concurrently and reports errors in the order it finds them. Steps emulate that: the
# type of a value is checked after one step, its other rules after another, results of the database much later.
_TYPE_STEP, _TEST_STEP, _ITEM_STEP, _DATABASE_STEP = 1, 2, 3, 1000
_LINKS = (Relation, Media)
_NOTHING: frozenset[str] = frozenset()
_KEPT_KEYS = ("id", COMPONENT_KEY)
_INVALID: Any = object()


@dataclass(frozen=True, slots=True)
class Outcome:
    """A converted value, its problems, and the step after which they are known."""

    value: Any
    problems: tuple[Problem, ...] = ()
    finished: int = 0


@dataclass(frozen=True, slots=True)
class Validator:
    """Validates one body: with the definitions, the mode, and the unique values that are taken.

    `listed_only`: whether dynamic zones only accept the components they list.
    """

    registry: Registry
    mode: Mode
    taken: frozenset[tuple[str, ...]] = frozenset()
    listed_only: bool = False

    def entry(self, definition: Definition, data: Mapping[str, Any]) -> Outcome:
        """Validate the data of an entry. Paths and steps are only computed if there is a problem, which is rare."""
        sound = None if self.taken else self.sound(definition, data)
        return self.checked(definition, data, TOP, 0) if sound is None else Outcome(sound)

    def sound(self, definition: Definition, data: Mapping[str, Any], keys: Iterable[str] = ()) -> dict[str, Any] | None:
        """Return an object converted, or None if it has a problem. `keys` are additional keys that it can have."""
        value: dict[str, Any] = {key: data[key] for key in keys if key in data}
        for name, given in data.items():
            attribute = definition.attributes.get(name)
            if attribute is not None and attribute.writable:
                value[name] = cast = self._valid_value(attribute, given)
                if cast is _INVALID:
                    return None
        if self.mode.creating:
            for name in definition.asked_names:
                if name not in data and self._valid_value(definition.attributes[name], MISSING) is _INVALID:
                    return None
        return value

    def _valid_value(self, attribute: AnyAttribute, value: Any) -> Any:
        """Return a value converted, or `_INVALID` if it has a problem."""
        match attribute:
            case Scalar() if attribute.type != "blocks":
                verdict = check_scalar(attribute, self._value_or_default(attribute, value), attribute.name, self.mode)
                return _INVALID if verdict.errors or verdict.type_errors else verdict.value
            case ComponentField(repeatable=False) if isinstance(value, Mapping):
                component = self.registry.components[attribute.component]
                return _or_invalid(self._inside(value).sound(component, value, _KEPT_KEYS))
            case ComponentField(repeatable=True) if isinstance(value, list):
                component = self.registry.components[attribute.component]
                items = [
                    _or_invalid(self._inside(item).sound(component, item, _KEPT_KEYS))
                    if isinstance(item, Mapping)
                    else _INVALID
                    for item in value
                ]
                wrong = _INVALID in items or _amount_problems(attribute, len(value), TOP, self.mode)
                return _INVALID if wrong else items
            case _:
                outcome = self._attribute(attribute, value, TOP.child(attribute.name), 0)
                return _INVALID if outcome.problems else outcome.value

    def _inside(self, component: Mapping[str, Any]) -> "Validator":
        """Return the validator for a component: a new component needs its required values, even in an update."""
        if self.mode.creating or not self.mode.strict or "id" in component:
            return self
        return replace(self, mode=replace(self.mode, creating=True))

    def checked(self, definition: Definition, data: Mapping[str, Any], trail: InputPath, start: int) -> Outcome:
        """Return an object converted, with all its problems."""
        value: dict[str, Any] = {key: data[key] for key in _KEPT_KEYS if key in data and trail is not TOP}
        names = definition.writable_names
        outcomes: list[tuple[int, int, tuple[Problem, ...]]] = []
        finished, missing, asked = start, 0, definition.asked_names if self.mode.creating else _NOTHING
        for name in reversed(names):
            if name not in data and name not in asked:
                if not missing and not isinstance(definition.attributes[name], _LINKS):
                    missing = _TEST_STEP  # Strapi takes a step to find no problems, too
                continue
            attribute, inside = definition.attributes[name], trail.child(name)
            outcome = self._attribute(attribute, data.get(name, MISSING), inside, start)
            finished = max(finished, outcome.finished)
            if outcome.value is not MISSING:
                value[name] = outcome.value
            if outcome.problems:
                outcomes.append((_rank(names, inside.label), outcome.finished, outcome.problems))
        finished = max(finished, start + missing)
        if not outcomes:
            return Outcome(value, (), finished)
        outcomes.sort(key=lambda item: item[:2])
        return Outcome(value, tuple(problem for item in outcomes for problem in item[2]), finished)

    def _attribute(self, attribute: AnyAttribute, value: Any, trail: InputPath, start: int) -> Outcome:
        match attribute:
            case Scalar(type="blocks"):
                return self._blocks(attribute, value, trail, start)
            case Scalar():
                return self._scalar(attribute, value, trail, start)
            case Relation():
                return self._relation(attribute, value, trail, start)
            case ComponentField(repeatable=False):
                return self._component(attribute, value, trail, start)
            case ComponentField() | DynamicZone():
                return self._list(attribute, value, trail, start)
            case Media():
                return Outcome(value, (), start)

    def _scalar(self, attribute: Scalar, value: Any, trail: InputPath, start: int) -> Outcome:
        verdict = check_scalar(attribute, self._value_or_default(attribute, value), trail.label, self.mode)
        kept = MISSING if value is MISSING else verdict.value
        if verdict.type_errors:
            return Outcome(kept, tuple(map(trail.problem, verdict.type_errors)), start + _TYPE_STEP)
        problems = tuple(map(trail.problem, verdict.errors))
        if trail.path in self.taken:
            return Outcome(kept, (*problems, trail.problem(UNIQUE_MESSAGE)), start + _DATABASE_STEP)
        asked = value not in (None, MISSING) and is_unique(attribute)
        return Outcome(kept, problems, start + (_DATABASE_STEP if asked else _TEST_STEP))

    def _value_or_default(self, attribute: Scalar, value: Any) -> Any:
        """Return a value, or the default if it is missing."""
        return attribute.default if value is MISSING and self.mode.creating and attribute.has_default else value

    def _blocks(self, attribute: Scalar, value: Any, trail: InputPath, start: int) -> Outcome:
        required = attribute.required and not self.mode.draft
        if value is MISSING:
            return _missing(trail, start, required and self.mode.creating)
        cast = _cast_list(value)
        if isinstance(cast, list):
            cast, problems = check_blocks(cast, trail)
            return Outcome(cast, problems, start + 2 * _TEST_STEP)
        if required:
            given = MISSING if value is None else value
            message = type_message(trail.label, "array", None, given)
            return Outcome(None, (trail.problem(message),), start + _TYPE_STEP)
        return Outcome(None, (), start + _TEST_STEP)

    def _relation(self, relation: Relation, value: Any, trail: InputPath, start: int) -> Outcome:
        required = relation.required and not self.mode.draft
        if value is None and required and not self.mode.creating:
            return Outcome(None, (trail.problem(f"{trail.label} cannot be null."),), start + _TEST_STEP)
        if value in (None, MISSING) and required and self.mode.creating:
            return _missing(trail, start, required=True)
        return Outcome(value, (), start)

    def _component(self, attribute: ComponentField, value: Any, trail: InputPath, start: int) -> Outcome:
        required = attribute.required and not self.mode.draft
        if value is MISSING:
            return _missing(trail, start, required and self.mode.creating)
        if isinstance(value, Mapping):
            definition = self.registry.components[attribute.component]
            return self._inside(value).checked(definition, value, trail, start + _TEST_STEP)
        if value is None and not required:
            return Outcome(None, (), start + _TEST_STEP)
        return Outcome(value, (trail.problem(type_message(trail.label, "object", value)),), start + _TYPE_STEP)

    def _list(self, attribute: ComponentField | DynamicZone, value: Any, trail: InputPath, start: int) -> Outcome:
        """Validate a list. If it is required it must be present, even in a draft."""
        if value is MISSING:
            return _missing(trail, start, attribute.required and self.mode.creating)
        if not isinstance(value, list):
            return Outcome(value, (trail.problem(type_message(trail.label, "array", value)),), start + _TYPE_STEP)
        own = _amount_problems(attribute, len(value), trail, self.mode)
        items = [self._item(attribute, item, trail.item(i), start + _TEST_STEP) for i, item in enumerate(value)]
        inside = tuple(p for item in sorted(items, key=lambda item: item.finished) for p in item.problems)
        finished = max((item.finished for item in items), default=start + _TEST_STEP)
        return Outcome([item.value for item in items], (*inside, *own), finished)

    def _item(self, attribute: ComponentField | DynamicZone, value: Any, trail: InputPath, start: int) -> Outcome:
        if not isinstance(value, Mapping):
            given = MISSING if value is None else value
            message = type_message(trail.label, "object", None, given)
            return Outcome(value, (trail.problem(message),), start + _TYPE_STEP)
        if isinstance(attribute, ComponentField):
            definition = self.registry.components[attribute.component]
            return self._inside(value).checked(definition, value, trail, start + _ITEM_STEP)
        return self._zone_item(attribute, value, trail, start)

    def _zone_item(self, zone: DynamicZone, value: Mapping[str, Any], trail: InputPath, start: int) -> Outcome:
        uid = value.get(COMPONENT_KEY, MISSING)
        definition = self.registry.components.get(uid) if isinstance(uid, str) else None
        if definition is not None and not (self.listed_only and uid not in zone.components):
            return self._inside(value).checked(definition, value, trail, start + _TEST_STEP)
        inside = trail.child(COMPONENT_KEY)
        if uid is MISSING or uid == "":
            return Outcome(value, (inside.problem(f"{inside.label} is a required field"),), start + 2 * _TEST_STEP)
        messages = [type_message(inside.label, "string", uid)] if uid is None or isinstance(uid, list | dict) else []
        if self.listed_only:
            choices = ", ".join(dict.fromkeys(zone.components))
        else:
            choices = ", ".join(component.uid for component in self.registry.components_backwards())
        messages.append(f"{inside.label} must be one of the following values: {choices}")
        return Outcome(value, tuple(map(inside.problem, messages)), start + _TEST_STEP + _TYPE_STEP)


def _or_invalid(value: dict[str, Any] | None) -> Any:
    return _INVALID if value is None else value


def _rank(names: tuple[str, ...], label: str) -> int:
    """Return the position of an attribute's problems among those of the others.

    Strapi sorts them with the first attribute whose name occurs anywhere in the label.
    """
    return next(index for index, name in enumerate(names) if name in label)


def _missing(trail: InputPath, start: int, required: bool) -> Outcome:
    problems = (trail.problem(f"{trail.label} must be defined."),) if required else ()
    return Outcome(MISSING, problems, start + _TEST_STEP)


def _cast_list(value: Any) -> Any:
    """Parse text with a JSON list; other values are returned unchanged."""
    if isinstance(value, str):
        try:
            return loads(value)
        except JSONDecodeError:
            return None
    return value


def _amount_problems(
    attribute: ComponentField | DynamicZone, amount: int, trail: InputPath, mode: Mode
) -> tuple[Problem, ...]:
    """Return problems for too few or too many items. In Strapi, an empty optional list is never too short."""
    problems = []
    counts = amount or attribute.required or (mode.strict and not mode.draft)
    if attribute.minimum is not None and amount < attribute.minimum and counts:
        problems.append(trail.problem(f"{trail.label} field must have at least {attribute.minimum} items"))
    if attribute.maximum is not None and amount > attribute.maximum:
        problems.append(trail.problem(f"{trail.label} field must have less than or equal to {attribute.maximum} items"))
    return tuple(problems)
