"""Conversions, comparisons and arithmetic of JavaScript, on the data of values without holes."""

import json
import math
import re
from collections.abc import Callable
from decimal import Decimal

from octavo.v4.javascript.values import UNDEFINED, Data, Function, Hole, Items, Native, Record, Regex, Undefined, number


class Unknown(Exception):
    """The result is unknown. The message is the reason, or how it would fail."""


SYNTAX = "unsupported syntax"
ARGUMENTS = "unsupported arguments"
ACCESSORS = "getters and setters are not supported"
OPEN_ARRAY = "some items of the array are unknown"
RUN_TIME = "`strapi` is only available at run time"
TOO_LONG = "the string is too long"
"""Reasons that several expressions share."""

LONGEST_TEXT = 1_000_000
"""Maximum characters of a text, so that repeated doubling ends."""

NUMBER = re.compile(r"[+-]?(?:Infinity|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)")
Operator = Callable[[Data, Data], Data]
WHITE = " \t\n\r\v\f\xa0\ufeff\u2028\u2029"


def is_truthy(data: Data) -> bool:
    """Return the truth value in `if`, `||`, `&&` and `!`. Objects and arrays are always true, even if empty."""
    if isinstance(data, Record | Items):
        return True
    if isinstance(data, float) and math.isnan(data):
        return False
    return bool(data) if data is None or isinstance(data, str | int | float | Undefined) else True


def to_text(data: Data) -> str:
    """Convert like `String(x)` and template literals."""
    match data:
        case str():
            return data
        case None | bool() | Undefined():
            return {True: "true", False: "false", None: "null"}.get(data, "undefined")  # type: ignore[arg-type]
        case int() | float():
            return _number_text(data)
        case Items():
            return _list_text(data)
        case Record():
            return "[object Object]"
        case Regex():
            return f"/{data.source}/{data.flags}"
    raise Unknown("the value cannot be converted to a string")


def _list_text(data: Items) -> str:
    if data.rest is not None or any(item.is_hole for item in data):
        raise Unknown(OPEN_ARRAY)
    return ",".join("" if _is_nullish(item.data) else to_text(item.data) for item in data)


def _number_text(found: float) -> str:
    if isinstance(found, float):
        if math.isnan(found):
            return "NaN"
        if math.isinf(found):
            return "Infinity" if found > 0 else "-Infinity"
        if abs(found) >= 1e21 or (found and abs(found) < 1e-6):
            mantissa, _, exponent = f"{found!r}".partition("e")
            return f"{mantissa.removesuffix('.0')}e{int(exponent):+d}"
    found = number(found)
    return str(found) if isinstance(found, int) else f"{Decimal(repr(found)):f}".removesuffix(".0")


def _is_nullish(data: Data) -> bool:
    return data is None or data is UNDEFINED


def to_number(data: Data) -> float:
    """Convert like `Number(x)`, `+x` and arithmetic."""
    match data:
        case bool():
            return int(data)
        case int() | float():
            return data
        case None:
            return 0
        case str():
            return _text_to_number(data.strip(WHITE))
        case Undefined() | Record():
            return math.nan
        case Items():
            return _text_to_number(to_text(data))
    raise Unknown("the value cannot be converted to a number")


def _text_to_number(text: str) -> float:
    if not text:
        return 0
    if match := re.fullmatch(r"0[xX]([0-9a-fA-F]+)|0[oO]([0-7]+)|0[bB]([01]+)", text):
        return number(float(int(match[1] or match[2] or match[3], 16 if match[1] else 8 if match[2] else 2)))
    if not NUMBER.fullmatch(text):
        return math.nan
    return number(float(text.replace("Infinity", "inf")))


def parse_int(text: str, radix: int = 10) -> float:
    """Evaluate `parseInt`: the leading digits, ignoring the rest."""
    match = re.match(r"\s*([+-]?)(0[xX])?", text)
    if match is None:
        return math.nan
    if match[2] and radix in (0, 16):
        radix, rest = 16, text[match.end() :]
    else:
        radix, rest = radix or 10, text[match.end(1) :]
    if not 2 <= radix <= 36:
        return math.nan
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"[:radix]
    length = next((index for index, one in enumerate(rest.lower()) if one not in digits), len(rest))
    if not length:
        return math.nan
    if length > 300:
        raise Unknown("the number is too long")
    return number(float(int(rest[:length], radix)) * (-1 if match[1] == "-" else 1))


def parse_float(text: str) -> float:
    """Evaluate `parseFloat`: the leading number, ignoring the rest."""
    match = NUMBER.match(text.lstrip(WHITE))
    return number(float(match[0].replace("Infinity", "inf"))) if match else math.nan


def is_same(left: Data, right: Data) -> bool:
    """Evaluate `===`. Objects are compared by identity."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, int | float) and isinstance(right, int | float):
        return left == right
    if isinstance(left, str) and isinstance(right, str):
        return left == right
    return left == right if isinstance(left, Native) else left is right


def is_same_value(left: Data, right: Data) -> bool:
    """Compare as in array searches: like `===`, but NaN equals itself."""
    return is_same(left, right) or (
        isinstance(left, float) and isinstance(right, float) and math.isnan(left) and math.isnan(right)
    )


def is_equal(left: Data, right: Data) -> bool:
    """Evaluate `==`: with conversion to numbers if the types differ."""
    if _is_nullish(left) or _is_nullish(right):
        return _is_nullish(left) and _is_nullish(right)
    if isinstance(left, str) and isinstance(right, str):
        return left == right
    plain = (str, int, float, bool)
    if isinstance(left, plain) and isinstance(right, plain):
        return to_number(left) == to_number(right)
    if not isinstance(left, plain) and not isinstance(right, plain):
        return is_same(left, right)
    return is_equal(_primitive(left), _primitive(right))


def _primitive(data: Data) -> Data:
    return to_text(data) if isinstance(data, Items | Record | Regex) else data


def add(left: Data, right: Data) -> Data:
    """Evaluate `+`: concatenate texts, add other values."""
    left, right = _primitive(left), _primitive(right)
    if isinstance(left, str) or isinstance(right, str):
        return bounded(to_text(left) + to_text(right))
    return number(to_number(left) + to_number(right))


def bounded(text: str) -> str:
    """Return a text. Raises `Unknown` if it is too long."""
    if len(text) > LONGEST_TEXT:
        raise Unknown(TOO_LONG)
    return text


def _ordered(compare: Callable[[float, float], bool], compare_text: Callable[[str, str], bool]) -> Operator:
    def operator(left: Data, right: Data) -> Data:
        left, right = _primitive(left), _primitive(right)
        if isinstance(left, str) and isinstance(right, str):
            return compare_text(left, right)
        return compare(to_number(left), to_number(right))

    return operator


def _arithmetic(compute: Callable[[float, float], float]) -> Operator:
    def operator(left: Data, right: Data) -> Data:
        a, b = to_number(left), to_number(right)
        if math.isnan(a) or math.isnan(b):
            return math.nan
        try:
            return number(compute(float(a), float(b)))
        except (ValueError, OverflowError, ZeroDivisionError):
            raise Unknown("the result cannot be calculated") from None

    return operator


def _divide(a: float, b: float) -> float:
    if b:
        return a / b
    return math.nan if not a else math.copysign(math.inf, a)


def _bits(data: Data) -> int:
    found = to_number(data)
    return 0 if not math.isfinite(found) else (int(found) + 2**31) % 2**32 - 2**31


def _contains(left: Data, right: Data) -> Data:
    if isinstance(right, Record) and (to_text(left) in right or right.rest is None):
        return to_text(left) in right
    raise Unknown("some keys are unknown")


OPERATORS: dict[str, Operator] = {
    "===": is_same,
    "!==": lambda left, right: not is_same(left, right),
    "==": is_equal,
    "!=": lambda left, right: not is_equal(left, right),
    "+": add,
    "-": _arithmetic(lambda a, b: a - b),
    "*": _arithmetic(lambda a, b: a * b),
    "/": _arithmetic(_divide),
    "%": _arithmetic(lambda a, b: math.fmod(a, b) if b else math.nan),
    "**": _arithmetic(lambda a, b: a**b if abs(b) < 1000 else math.nan),
    "<": _ordered(lambda a, b: a < b, lambda a, b: a < b),
    ">": _ordered(lambda a, b: a > b, lambda a, b: a > b),
    "<=": _ordered(lambda a, b: a <= b, lambda a, b: a <= b),
    ">=": _ordered(lambda a, b: a >= b, lambda a, b: a >= b),
    "|": lambda left, right: _bits(left) | _bits(right),
    "&": lambda left, right: _bits(left) & _bits(right),
    "<<": lambda left, right: _bits(_bits(left) << (_bits(right) & 31)),
    ">>": lambda left, right: _bits(left) >> (_bits(right) & 31),
    "in": _contains,
}
"""Binary operators that always evaluate both sides."""


def type_of(data: Data) -> str:
    """Evaluate `typeof`."""
    match data:
        case str():
            return "string"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case Undefined():
            return "undefined"
        case Function():
            return "function"
        case Native() | Hole():
            raise Unknown("the type is unknown")
    return "object"


def unary(operator: str, data: Data) -> Data:
    """Evaluate `!`, `-`, `+`, `~`, `typeof` and `void`."""
    match operator:
        case "!":
            return not is_truthy(data)
        case "-":
            return number(-to_number(data))
        case "+":
            return number(to_number(data))
        case "~":
            return ~_bits(data)
        case "typeof":
            return type_of(data)
        case "void":
            return UNDEFINED
    raise Unknown(f"unsupported operator {operator}")


def to_json(data: Data) -> str:
    """Evaluate `JSON.stringify` for scalars and containers of them, without spaces."""
    match data:
        case Record() if data.rest is None:
            entries = [(key, value.data) for key, value in data.items() if not _is_left_out(value.data)]
            return (
                "{"
                + ",".join(f"{json.dumps(key, ensure_ascii=False)}:{to_json(value)}" for key, value in entries)
                + "}"
            )
        case Items() if data.rest is None:
            return "[" + ",".join("null" if _is_left_out(item.data) else to_json(item.data) for item in data) + "]"
        case str():
            return json.dumps(data, ensure_ascii=False)
        case None | bool() | int():
            return to_text(data)
        case float():
            return to_text(data) if math.isfinite(data) else "null"
        case Regex():
            return "{}"
    raise Unknown("part of the value is unknown")


def _is_left_out(data: Data) -> bool:
    return data is UNDEFINED or isinstance(data, Function)


def check_units(text: str) -> None:
    """Raise `Unknown` for characters that JavaScript counts as two, where positions in the text are used."""
    if not text.isascii() and max(text) > "\uffff":
        raise Unknown("the operation would split a character")
