"""Variables become values of the declared types; missing ones without a default are left out."""

from typing import Any

import pytest

from octavo.api.graphql.document.variables import RefusedVariables, read_variables
from octavo.api.graphql.options import Limits
from tests.api.graphql.asking import documents_of
from tests.api.graphql.recordings import schema_of


def read(declared: str, given: dict[str, Any]) -> dict[str, Any]:
    text = f'query({declared}){{plains(sort:["a"]){{data{{id}}}}}}'
    schema = schema_of("kinds")
    names = [part.split(":")[0].strip() for part in declared.split(",")]
    used = " ".join(f"@include(if:{name})" if name == "$if" else "" for name in names)
    operation = documents_of(schema, Limits())._parse(text.replace("{plains", f"{{plains {used}")).definitions[0]
    return read_variables(schema, operation, given)  # type: ignore[arg-type]  # the one operation


@pytest.mark.parametrize(
    "declared, given, values",
    [
        ("$a:Int", {}, {}),
        ("$a:Int", {"a": None}, {"a": None}),
        ("$a:Int=3", {}, {"a": 3}),
        ("$a:Int=3", {"a": None}, {"a": None}),
        ("$a:Int", {"a": 4, "b": 5}, {"a": 4}),
        ("$a:ID", {"a": 4}, {"a": "4"}),
        ("$a:[String]", {"a": "x"}, {"a": ["x"]}),
        ("$a:Long", {"a": "9007199254740993"}, {"a": 9007199254740993}),
        ("$a:Date", {"a": "2024-02-29"}, {"a": "2024-02-29"}),
        ("$a:DateTime", {"a": "2024-02-29t12:00:00.5+02:00"}, {"a": "2024-02-29T10:00:00.500Z"}),
        ("$a:Time", {"a": "10:11:12.3"}, {"a": "10:11:12.300"}),
        ("$a:ENUM_SCALARTYPE_ENUMODD", {"a": "A_1"}, {"a": "A-1"}),
        ("$a:PublicationState", {"a": "PREVIEW"}, {"a": "preview"}),
        ("$a:JSON", {"a": {"b": [1, None]}}, {"a": {"b": [1, None]}}),
        (
            "$a:HolderZoneDynamicZoneInput",
            {"a": {"__typename": "ComponentBasicPart", "text": "x"}},
            {"a": {"__component": "basic.part", "text": "x"}},
        ),
    ],
)
def test_values_are_read(declared: str, given: dict[str, Any], values: dict[str, Any]) -> None:
    assert read(declared, given) == values


def nested(count: int) -> Any:
    value: Any = {}
    for _ in range(count):
        value = {"and": [value]}
    return value


@pytest.mark.parametrize(
    "declared, given, message",
    [
        ("$a:PlainFiltersInput", {"a": nested(400)}, 'Variable "$a" is nested more than 100 times.'),
        ("$a:Upload", {"a": {}}, 'Variable "$a" got invalid value {}; Upload value invalid.'),
    ],
)
def test_values_are_refused(declared: str, given: dict[str, Any], message: str) -> None:
    with pytest.raises(RefusedVariables) as caught:
        read(declared, given)
    assert [error.message for error in caught.value.errors] == [message]


def test_the_number_of_errors_is_limited() -> None:
    with pytest.raises(RefusedVariables) as caught:
        read("$a:[Int]", {"a": ["x"] * 1000})
    assert len(caught.value.errors) == 51
    assert caught.value.errors[-1].message == (
        "Too many errors processing variables, error limit reached. Execution aborted."
    )
