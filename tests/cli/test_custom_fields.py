"""The service and commands treat unknown custom fields by their column type."""

from pathlib import Path

from tests.cli.conftest import Call, answered, said
from tests.cli.projects import STORY, write_type

SETTINGS = '[customFields]\n"plugin::stars.stars" = "integer"\n"global::facts" = "json"\n"global::on" = "boolean"\n'


def test_unknown_custom_fields_have_the_type_of_their_column(call: Call, project: Path) -> None:
    fields = {name: {"type": "customField", "customField": name} for name in ("plugin::stars.stars", "global::facts")}
    flag = {"a": {"type": "customField", "customField": "global::on"}}
    write_type(project, {**STORY, "attributes": {**STORY["attributes"], **flag, **_named(fields)}})
    assert [_word(message) for message in _remarks(call)] == ["'text'"] * 3
    (project / "config").mkdir()
    (project / "config/api.toml").write_text(SETTINGS, "utf-8")
    assert _remarks(call) == []
    said(call("db", "upgrade"))
    (project / "config/api.toml").unlink()
    reported = [_word(message) for message in _remarks(call)]
    assert reported == [f"{word!r}, as its column has them" for word in ("boolean", "integer", "json")]
    assert said(call("db", "diff")) == ["The database matches the definitions."]


def _named(fields: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    return {f"field{number}": field for number, field in enumerate(fields.values())}


def _remarks(call: Call) -> list[str]:
    return [item["message"] for item in answered(call("config", "check", "--json"))["definitions"]]


def _word(message: str) -> str:
    return message.partition("treated as ")[2].partition(";")[0]
