"""Files become syntax trees, or end in a clear error, whatever they contain."""

import os
from pathlib import Path

import pytest

from octavo.v4.javascript import parse
from octavo.v4.javascript.parse import DEEPEST, Module, parse_file, parse_text
from octavo.v4.javascript.source import LARGEST_SOURCE, Place, SourceProblem
from octavo.v4.javascript.syntax import walk

LANGUAGES = ("a.js", "a.ts", "a.json")


def problem_of(text: str | bytes, file: str = "a.js") -> SourceProblem:
    with pytest.raises(SourceProblem) as caught:
        parse_text(text, file)
    return caught.value


def node_of(module: Module, text: str) -> Place:
    return next(module.place(node) for node in walk(module.root) if module.text(node) == text)


@pytest.mark.parametrize("file", ["a.js", "a.mjs", "a.cjs", "a.ts", "A.JS"])
def test_parses_scripts(file: str) -> None:
    assert parse_text("module.exports = { a: 1 };", file).root.type == "program"


def test_parses_the_types_of_typescript() -> None:
    module = parse_text("export default ({ env }: Env): Config => ({ a: <T>b, c: d!, e: f as G } satisfies H);", "a.ts")
    assert module.root.type == "program"


def test_parses_json() -> None:
    module = parse_text('\ufeff{"a": [1,\n "x"]}', "a.json")
    assert module.root.type == "object"
    assert module.text(module.root) == '{"a": [1,\n "x"]}'
    assert node_of(module, '"a"') == Place("a.json", 1, 2)
    assert node_of(module, '"x"') == Place("a.json", 2, 2)


@pytest.mark.parametrize("text", ["{'a': 1}", "{a: 1}", '{"a": NaN}', "", "{} {}", '{"a": 1,}', "[", "// a\n1"])
def test_json_files_must_be_json(text: str) -> None:
    assert "JSON" in problem_of(text, "a.json").message


@pytest.mark.parametrize("begin", ["", "\ufeff", "\ufeff\r\n", "/* é 🎉 */ "])
def test_places_count_characters(begin: str) -> None:
    module = parse_text(begin + "const a = 'é🎉' + b;\r\nconst c = 'é' + d;", "a.js")
    begin = begin.removeprefix("\ufeff")
    line = begin.count("\n") + 1
    assert node_of(module, "b") == Place("a.js", line, len(begin.split("\n")[-1]) + 18)
    assert node_of(module, "d") == Place("a.js", line + 1, 17)


def test_errors_have_a_path() -> None:
    problem = problem_of("module.exports = {\n  a: 1,\n  b: = 2,\n  c: 3,\n};")
    assert (problem.place.line, "syntax error" in problem.message) == (3, True)
    assert str(problem).startswith("a.js:3:")


def test_bytes_that_are_no_utf_8_are_replaced() -> None:
    module = parse_text(b"a = '\xff\xfe'")
    assert module.text(module.root) == "a = '\ufffd\ufffd'"


def test_text_with_nul_is_no_text() -> None:
    assert problem_of(b"a = 1;\nb = '\0'").place == Place("a.js", 2, 6)


def test_excerpts_are_short_and_on_one_line() -> None:
    module = parse_text("const a = {\n  b: 1,\n" + "  c: 2,\n" * 1000 + "}")
    assert module.excerpt(module.root, 20) == "const a = { b: 1, c…"


def test_other_files_are_refused() -> None:
    assert "are supported" in problem_of("<a></a>", "a.html").message


@pytest.mark.parametrize("file", LANGUAGES)
@pytest.mark.parametrize(
    "text",
    [
        "[" * 10_000,
        "{a:" * 10_000,
        "a=" + "(" * 10_000,
        "a=`" + "${`" * 10_000,
        "a=" + "!" * 10_000 + "1",
        "a=" + "1+" * 10_000 + "1",
        "a" + "()" * 10_000,
        "a=" + "a?b:" * 10_000,
        "a=>" * 10_000,
        "async (" * 10_000,
        "a='" + "x" * 50_000,
        "a=/" + "[" * 50_000,
        "let let = }" * 20_000,
        "a = = ;\n" * 5_000,  # quadratic
        "(]{)" * 50_000,
        "\u202e\u200b\u2028" * 20_000,
        "x" * 10_000_000,
    ],
    ids=lambda text: text[:8].encode("unicode-escape").decode(),
)
def test_hostile_files_end_in_an_error(text: str, file: str) -> None:
    """They must end: without limits most of them take minutes or overflow the stack."""
    assert str(problem_of(text, file)).startswith(f"{file}:")


def test_time_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse, "LONGEST_ALONE", -1)
    text = "a=[" + "f(1)," * 5_000 + "]"
    parse_text(text)  # in the watched process
    monkeypatch.setattr(parse, "LONGEST_PARSE", -1)
    assert "too long" in problem_of(text).message


def test_recovery_ends_before_the_end_of_a_large_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last step of a recovery takes quadratic time, and cannot be aborted."""
    monkeypatch.setattr(parse, "LONGEST_ALONE", 1_000)
    assert str(problem_of("a = = ;" * 10_000)) == "a.js:1:50: syntax error near this line"
    assert parse._tree_alone(b"a = = ;" * 10_000, ".js") is None


@pytest.mark.parametrize("end", ["/*", "a = b /", "a = /b", "a = `b", "a = 'b", "a =", "if (a) {"])
def test_errors_at_the_end_of_a_large_file_are_located(end: str) -> None:
    assert problem_of("a;\n" * 5_000 + end).message == "syntax error near this line"


@pytest.mark.parametrize("end", ["// b", "a = b", "/* b */", "a = b;\n"])
def test_a_large_file_can_end_without_a_line_break(end: str) -> None:
    text = "a;\n" * 5_000 + end
    module = parse_text(text)
    assert module.text(module.root) == text


def test_deep_syntax_trees_are_walked_without_recursion() -> None:
    depth = DEEPEST - 10
    module = parse_text("a=" + "[" * depth + "]" * depth)
    assert sum(node.type == "array" for node in walk(module.root)) == depth
    assert "nested too deeply" in problem_of("a=" + "[" * 2000 + "]" * 2000).message
    assert "nested too deeply" in problem_of("[" * 2000 + "]" * 2000, "a.json").message


def test_only_files_inside_the_project_are_read(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "config").mkdir(parents=True)
    (project / "config" / "server.js").write_text("module.exports = {};")
    (tmp_path / "secret.js").write_text("module.exports = {};")
    (project / "link.js").symlink_to(tmp_path / "secret.js")
    (project / "inside.js").symlink_to(project / "config" / "server.js")
    (project / "round.js").symlink_to(project / "round.js")
    os.mkfifo(project / "pipe.js")
    assert parse_file(project / "config" / "server.js", project).file == "config/server.js"
    assert parse_file(project / "inside.js", project).file == "inside.js"
    for name in ("link.js", "round.js", "pipe.js", "config", "none.js", "../secret.js", "a\0.js"):
        with pytest.raises(SourceProblem):
            parse_file(project / name, project)
    (project / "large.js").write_bytes(b"a" * (LARGEST_SOURCE + 1))
    with pytest.raises(SourceProblem, match="larger than"):
        parse_file(project / "large.js", project)
