"""Rules for scalar values, one per attribute type. Messages and type conversions are Strapi's."""

import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from octavo.content.input.column_values import has_nul, is_too_large
from octavo.content.validation.patterns import UID_PATTERN, is_uid, matcher, print_pattern
from octavo.core.forms.printing import MISSING, print_number, type_message
from octavo.core.forms.texts import is_email, is_storable
from octavo.core.text_limits import MAX_EMAIL
from octavo.core.values import dataclass
from octavo.query.numbers import js_number
from octavo.query.sql.dialects.column_limits import PORTABLE
from octavo.schema.attributes import Enumeration, Scalar
from octavo.schema.scalar_types import SCALAR_TYPES, ValueKind

_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
_LEADING_NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?))", re.ASCII | re.IGNORECASE)
_DIGITS = re.compile(r"[+-]?\d+", re.ASCII)
_MOST_DIGITS = 100
PASSWORD_BYTES = 72


@dataclass(frozen=True, slots=True)
class Mode:
    """The validation mode. A create checks required values, a draft does not.

    `strict`: with the rule `validation`, values are checked that v4 does not check: limits of big integers, values that
    not every database can store, required values of new components in an update, the minimum of an empty list.
    """

    creating: bool
    draft: bool
    strict: bool = False


class Verdict(NamedTuple):
    """The converted value and its problems. Type errors are found before all others."""

    value: Any
    type_errors: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


Check = Callable[[Any, Any, str, Mode], Verdict]


@dataclass(frozen=True, slots=True)
class Rule:
    """The rule of one type. `null` is the type in the message for a forbidden null; None allows any value."""

    check: Check
    null: str | None = None


def utf16_length(text: str) -> int:
    """Return the length of a text in UTF-16 code units, as in JavaScript."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def check_scalar(attribute: Scalar, value: Any, label: str, mode: Mode) -> Verdict:
    """Validate one value; `label` is its name in messages."""
    rule = RULES[attribute.type]
    required = attribute.required and not mode.draft
    if value is MISSING:
        missing = required and mode.creating
        return Verdict(MISSING, errors=(f"{label} must be defined.",) if missing else ())
    if value is None:
        return _check_null(rule, label, mode) if required else Verdict(None)
    return rule.check(attribute, value, label, mode)


def _check_null(rule: Rule, label: str, mode: Mode) -> Verdict:
    if rule.null is None:
        return Verdict(None, errors=(f"{label} must be defined." if mode.creating else f"{label} cannot be null.",))
    final = math.nan if rule.null == "number" else None
    return Verdict(None, type_errors=(type_message(label, rule.null, final),))


def _check_any(attribute: Scalar, value: Any, label: str, mode: Mode) -> Verdict:
    return Verdict(value)


def _length_errors(attribute: Scalar, value: str, label: str, mode: Mode) -> list[str]:
    errors: list[str] = []
    if attribute.min_length is None and attribute.max_length is None:
        return errors
    length = utf16_length(value)
    if attribute.min_length is not None and not mode.draft and length < attribute.min_length:
        errors.append(f"{label} must be at least {attribute.min_length} characters")
    if attribute.max_length is not None and length > attribute.max_length:
        errors.append(f"{label} must be at most {attribute.max_length} characters")
    return errors


def _text_errors(attribute: Scalar, value: str, label: str) -> list[str]:
    """Return the errors of a text. An empty text must match the pattern only if required, even in drafts (observed)."""
    errors = []
    if not is_storable(value):
        errors.append(f"{label} must not contain NUL characters or halves of surrogate pairs")
    if attribute.regex and (value or attribute.required) and not matcher(attribute.regex)(value):
        errors.append(f'{label} must match the following: "{print_pattern(attribute.regex)}"')
    return errors


def _check_string(attribute: Scalar, value: Any, label: str, mode: Mode) -> Verdict:
    if not isinstance(value, str):
        return Verdict(value, type_errors=(type_message(label, "string", value),))
    errors = [*_length_errors(attribute, value, label, mode), *_text_errors(attribute, value, label)]
    return Verdict(value, errors=tuple(errors))


def _check_uid(attribute: Scalar, value: Any, label: str, mode: Mode) -> Verdict:
    verdict = _check_string(attribute, value, label, mode)
    if verdict.type_errors or is_uid(value):
        return verdict
    return Verdict(value, errors=(*verdict.errors, f'{label} must match the following: "{UID_PATTERN}"'))


def _check_password(attribute: Scalar, value: Any, label: str, mode: Mode) -> Verdict:
    verdict = _check_string(attribute, value, label, mode)
    if verdict.type_errors or len(value[: PASSWORD_BYTES + 1].encode("utf-8", "surrogatepass")) <= PASSWORD_BYTES:
        return verdict
    return Verdict(value, errors=(*verdict.errors, f"{label} must be at most {PASSWORD_BYTES} bytes"))


def _check_email(attribute: Scalar, value: Any, label: str, mode: Mode) -> Verdict:
    """Check an email address. The definition's `minLength` is ignored, but an empty text is refused even in drafts."""
    if not isinstance(value, str):
        return Verdict(value, type_errors=(type_message(label, "string", value),))
    if not value:
        return Verdict(value, errors=(f"{label} cannot be empty",))
    errors = [*_length_errors(attribute, value, label, Mode(mode.creating, draft=True))]
    errors += _text_errors(attribute, value, label)
    if len(value) > MAX_EMAIL or not is_email(value):
        errors.append(f"{label} must be a valid email")
    return Verdict(value, errors=tuple(errors))


def _check_enumeration(attribute: Enumeration, value: Any, label: str, mode: Mode) -> Verdict:
    wrong = () if not isinstance(value, list | dict) else (type_message(label, "string", value),)
    if isinstance(value, bool):
        value = "true" if value else "false"
    elif isinstance(value, int | float):
        value = print_number(value)
    if isinstance(value, str) and value in attribute.values:
        return Verdict(value)
    choices = "".join(f"{choice}, " for choice in attribute.values)
    return Verdict(value, type_errors=(*wrong, f"{label} must be one of the following values: {choices}"))


def cast_number(value: Any) -> float | int:
    """Return a value as a number; NaN if it is not one."""
    if isinstance(value, bool) or value is None or isinstance(value, dict):
        return math.nan
    if isinstance(value, int | float):
        return value
    if isinstance(value, str):
        text = "".join(value.split())
        return js_number(text) if text else math.nan
    first = value[0] if isinstance(value, list) and value else None
    if isinstance(first, list):
        return cast_number(first)
    if isinstance(first, bool) or not isinstance(first, str | int | float):
        return math.nan
    number = _LEADING_NUMBER.match(first) if isinstance(first, str) else None
    return js_number(number[1]) if number else cast_number(first) if not isinstance(first, str) else math.nan


def _number_errors(attribute: Scalar, number: float, label: str) -> list[str]:
    errors = []
    if attribute.minimum is not None and number < attribute.minimum:
        errors.append(f"{label} must be greater than or equal to {print_number(attribute.minimum)}")
    if attribute.maximum is not None and number > attribute.maximum:
        errors.append(f"{label} must be less than or equal to {print_number(attribute.maximum)}")
    return errors


def _check_number(attribute: Scalar, value: Any, label: str, mode: Mode) -> Verdict:
    number = cast_number(value)
    if math.isnan(number):
        return Verdict(value, type_errors=(type_message(label, "number", math.nan, value),))
    errors = _number_errors(attribute, number, label)
    if not errors and math.isinf(number):
        errors = [f"{label} must be a finite number"]
    return Verdict(number, errors=tuple(errors))


def _check_integer(attribute: Scalar, value: Any, label: str, mode: Mode) -> Verdict:
    number = cast_number(value)
    if math.isnan(number):
        return Verdict(value, type_errors=(type_message(label, "number", math.nan, value),))
    whole = not math.isinf(number) and number == int(number)
    errors = [] if whole else [f"{label} must be an integer"]
    errors += _number_errors(attribute, number, label)
    return Verdict(int(number) if whole else number, errors=tuple(errors))


def _check_big_integer(attribute: Scalar, value: Any, label: str, mode: Mode) -> Verdict:
    """Check the limits, which Strapi ignores. Values that are not integers are refused when they are stored."""
    if not mode.strict or isinstance(value, bool) or not isinstance(value, int | str):
        return Verdict(value)
    text = value.strip() if isinstance(value, str) else str(value)
    if not (len(text) <= _MOST_DIGITS and _DIGITS.fullmatch(text)):
        return Verdict(value)
    return Verdict(value, errors=tuple(_number_errors(attribute, int(text), label)))


def _check_boolean(attribute: Scalar, value: Any, label: str, mode: Mode) -> Verdict:
    if isinstance(value, bool):
        return Verdict(value)
    text = print_number(value) if isinstance(value, int | float) else value
    boolean = _BOOLEANS.get(text.lower()) if isinstance(text, str) else None
    if boolean is None:
        return Verdict(value, type_errors=(type_message(label, "boolean", value),))
    return Verdict(boolean)


def _portable(check: Check) -> Check:
    """Wrap a check to refuse values in strict mode that not every database can store. SQLite would accept them."""

    def checked(attribute: Scalar, value: Any, label: str, mode: Mode) -> Verdict:
        verdict = check(attribute, value, label, mode)
        if not mode.strict or verdict.value is None or verdict.type_errors or verdict.errors:
            return verdict
        problem = _too_much(SCALAR_TYPES[attribute.type].kind, verdict.value, label)
        return verdict if problem is None else Verdict(verdict.value, errors=(problem,))

    return checked


def _too_much(kind: ValueKind, value: Any, label: str) -> str | None:
    """Return the error for a valid value that not every database can store."""
    longest, largest, most = PORTABLE.longest_string, PORTABLE.largest_integer, PORTABLE.most_decimal
    match kind:
        case ValueKind.STRING if longest is not None and len(value) > longest:
            return f"{label} must be at most {longest} characters"
        case ValueKind.INTEGER if largest is not None and not -largest - 1 <= value <= largest:
            return f"{label} must be an integer from {-largest - 1} to {largest}"
        case ValueKind.DECIMAL if most is not None and is_too_large(value, most):
            return f"{label} must be less than {most}"
        case ValueKind.JSON if has_nul(value):
            return f"{label} must not contain NUL characters"
        case _:
            return None


_STRING = Rule(_check_string, "string")
_NUMBER = Rule(_check_number, "number")
_ANY = Rule(_check_any)

RULES: dict[str, Rule] = {
    "string": Rule(_portable(_check_string), "string"),
    "text": _STRING,
    "richtext": _STRING,
    "password": Rule(_check_password, "string"),
    "uid": Rule(_portable(_check_uid), "string"),
    "email": Rule(_portable(_check_email), "string"),
    "enumeration": Rule(_portable(_check_enumeration), "string"),
    "integer": Rule(_portable(_check_integer), "number"),
    "float": _NUMBER,
    "decimal": Rule(_portable(_check_number), "number"),
    "boolean": Rule(_check_boolean, "boolean"),
    "biginteger": Rule(_check_big_integer),
    "date": _ANY,
    "time": _ANY,
    "datetime": _ANY,
    "timestamp": _ANY,
    "json": Rule(_portable(_check_any)),
    "array": _ANY,
}
