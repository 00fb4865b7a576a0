"""Unknown values are named holes. Values that could have changed are holes, too."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from octavo.v4.javascript.reader import Reader
from octavo.v4.javascript.source import Place, SourceProblem
from octavo.v4.javascript.values import Record, Value, joined_variables


def read(text: str, project: Path, variables: dict[str, str] | None = None) -> Value:
    (project / "a.js").write_text(text)
    return Reader(project, variables or {}).read_config(project / "a.js")


def shown(value: Value) -> Any:
    """Return a value with "?" for holes."""
    if value.is_hole:
        return "?"
    if value.is_list:
        return [shown(one) for one in value.each()] + (["..."] if value.rest else [])
    if isinstance(value.data, Record):
        return {key: shown(one) for key, one in value.items()} | ({"...": "?"} if value.rest else {})
    return value.plain()


@pytest.mark.parametrize(
    "text, value",
    [
        ("{ a: unknown, b: 1 }", {"a": "?", "b": 1}),
        ("{ a: unknown() || 'x', b: unknown.c ? 1 : 2, c: !unknown, d: `${unknown}` }", dict.fromkeys("abcd", "?")),
        ("{ a: 1, ...unknown, b: 2 }", {"a": "?", "b": 2, "...": "?"}),
        ("{ a: 1, [unknown]: 2 }", {"a": "?", "...": "?"}),
        ("[1, ...unknown, 2]", [1, "?", 2, "..."]),
        ("{ a: require('crypto').randomBytes(16), b: 1 }", {"a": "?", "b": 1}),
        ("{ a: undefined.b, b: null.c, c: 1() }", {"a": "?", "b": "?", "c": "?"}),
        ("{ a: strapi.config.get('x'), b: this.c, c: new Foo(), d: class {} }", dict.fromkeys("abcd", "?")),
        ("{ get a() { return 1 }, b: 2 }", {"a": "?", "b": 2}),
        ("{ a: require('./none'), b: require('lodash'), c: require('../outside') }", dict.fromkeys("abc", "?")),
        ("{ a: new URL('nothing'), b: JSON.parse('{'), c: 10n }", {"a": "?", "b": "?", "c": "?"}),
        (
            "{ a: require('fs').readFileSync('/etc/passwd'), b: require('fs').readFileSync('../x') }",
            {"a": "?", "b": "?"},
        ),
        (
            "{ a: [1, , 2], b: '🎉a'[0], c: new URL('http://a.example/b c'), d: '🎉'.slice(1) }",
            dict.fromkeys("abcd", "?"),
        ),
        ("{ a: new Date(), b: Math.random(), c: Date.now() }", {"a": "?", "b": "?", "c": "?"}),
    ],
)
def test_holes_leave_the_rest_known(text: str, value: Any, tmp_path: Path) -> None:
    assert shown(read(f"module.exports = {text}", tmp_path)) == value


@pytest.mark.parametrize(
    "text, value",
    [
        ("const a = { b: 1, c: 2 }; if (unknown) { a.b = 2 } module.exports = a", {"b": "?", "c": 2}),
        ("const a = { b: 1 }; if (unknown) { change(a) } module.exports = a", {"b": "?", "...": "?"}),
        ("const a = { b: 1 }; change(a); module.exports = a", {"b": "?", "...": "?"}),
        ("const a = { b: 1 }; [1].forEach(unknown => change(a)); module.exports = a", {"b": "?", "...": "?"}),
        ("const a = { b: 1 }; for (const k in a) { a[k] = 2 } module.exports = a", {"b": "?", "...": "?"}),
        ("const a = { b: 1 }; for (let i = 0; i < 2; i++) { a.b = i } module.exports = a", {"b": "?"}),
        ("const a = { b: 1 }; try { a.b = f() } catch (e) { a.c = 1 } module.exports = a", {"b": "?", "c": "?"}),
        ("let a = 1; while (a < 3) a++; module.exports = { a }", {"a": "?"}),
        ("let a = 1; if (unknown) a = 2; module.exports = { a }", {"a": "?"}),
        ("const a = { b: 1 }; unknown && (a.b = 2); module.exports = a", {"b": "?"}),
        ("const a = [1]; unknown && a.push(2); module.exports = { a }", {"a": ["?", "..."]}),
        ("const a = { b: 1 }; console.log(a); module.exports = a", {"b": 1}),
        ("const a = { b: 1 }; if (a.b === unknown) { f() } module.exports = a", {"b": 1}),
        ("const c = { x: 1 }; module.exports = { a: unknown ? c.x : 2, c }", {"a": "?", "c": {"x": 1}}),
        ("module.exports = () => { if (unknown) { return { a: 1 } } return { a: 2 } }", "?"),
        ("module.exports = () => { throw new Error('no') }", "?"),
        ("if (unknown) { module.exports = { a: 1 } }", "?"),
        ("module.exports = { a: 1 }; if (unknown) { module.exports.a = 2 }", {"a": "?"}),
        ("const f = () => f(); module.exports = { a: f(), b: 1 }", {"a": "?", "b": 1}),
        ("const a = { c: 1 }; a.b = a; module.exports = a.b.c", 1),
        ("module.exports = function* () { yield 1 }", "?"),
    ],
)
def test_values_that_may_have_changed_are_holes(text: str, value: Any, tmp_path: Path) -> None:
    assert shown(read(text, tmp_path)) == value


def test_holes_are_named(tmp_path: Path) -> None:
    value = read("module.exports = {\n  a: [{ b: require('crypto').x }],\n  ...unknown,\n};", tmp_path)
    assert [(path, hole.place, hole.excerpt) for path, hole in value.holes()] == [
        (("...",), Place("a.js", 3, 6), "unknown"),
        (("a",), Place("a.js", 3, 6), "unknown"),
    ]
    value = read("module.exports = {\n  a: [{ b: require('crypto').x }],\n};", tmp_path)
    ((path, hole),) = value.holes()
    assert (path, hole.place.file, hole.excerpt) == (("a", "0", "b"), "a.js", "crypto")
    assert value.at("a", 0, "b", "c").hole == hole
    assert value.at("a", 1).is_undefined


def test_variables_are_reported(tmp_path: Path) -> None:
    value = read(
        "module.exports = ({ env }) => ({\n"
        "  a: env('A', 'code'), b: process.env.B || 'code', c: `${env('C')}/${env('D', 'd')}`, d: 'code',\n"
        "  e: env('E') ?? env('F', 'x'), f: env('G'), g: env('C') || 'code', h: env.array('C', []),\n"
        "})",
        tmp_path,
        {"C": "c"},
    )

    def variables_of(key: str) -> list[tuple[str, bool, bool]]:
        return [(one.name, one.is_set, one.fallback_used) for one in value.at(key).variables]

    assert variables_of("a") == [("A", False, True)]
    assert variables_of("b") == [("B", False, True)]
    assert variables_of("c") == [("C", True, False), ("D", False, True)]
    assert variables_of("d") == []
    assert variables_of("e") == [("E", False, True), ("F", False, True)]
    assert variables_of("f") == [("G", False, False)]
    assert variables_of("g") == variables_of("h") == [("C", True, False)]
    assert [key for key, one in value.items() if one.is_from_code] == ["a", "b", "d", "e"]
    assert value.at("a").place == Place("a.js", 2, 15)
    assert value.at("g").variables[0].place == Place("a.js", 3, 49)
    assert {one.name for one in joined_variables(each for _, each in value.walk())} == set("ABCDEFG")


@pytest.mark.parametrize(
    "text",
    [
        "const a = " + "[" * 200 + "1" + "]" * 200 + "; module.exports = { a, b: 1 }",
        "module.exports = { a: " + "!" * 500 + "1, b: 1 }",
        "module.exports = { a: " + "f(" * 300 + ")" * 300 + ", b: 1 }",
        "module.exports = { a: 'x'" + ".trim()" * 250 + ", b: 1 }",
    ],
)
def test_deep_expressions_end(text: str, tmp_path: Path) -> None:
    with suppress(SourceProblem):
        assert read(text, tmp_path).at("b").plain() == 1


@pytest.mark.parametrize(
    "text",
    [
        "const f = (n) => n + f(n) + f(n); module.exports = f(1)",
        "let a = [1]; a = [a, a];" + "a = [a, a];" * 40 + "module.exports = a",
        "let a = [1, 1];" + "a = [...a, ...a];" * 40 + "module.exports = a",
        "let a = 'xx';" + "a = a + a;" * 60 + "module.exports = { a, b: a }",
        "let a = 'x,';" + "a = a + a;" * 18 + "module.exports = a.split(',').map(x => x)",
        "const a = {}; a.b = a; a.c = a; module.exports = a",
        "module.exports = JSON.parse('" + "[" * 5000 + "]" * 5000 + "')",
        "let a = 'x';" + "a = a + a;" * 18 + "module.exports = [" + "a + 'y'," * 5000 + "]",
        "module.exports = 9 ** 9 ** 9 ** 9",
        "module.exports = 'a'" + " + 'a'" * 900,
    ],
)
def test_work_is_bounded(text: str, tmp_path: Path) -> None:
    """They must end: in a problem, or in values of bounded size."""
    with suppress(SourceProblem):
        assert len(str(read(text, tmp_path).plain())) < 10_000_000


def test_files_that_require_each_other(tmp_path: Path) -> None:
    (tmp_path / "b.js").write_text("module.exports = { c: require('./a') }")
    assert shown(read("module.exports = { b: require('./b'), d: require('./bad') }", tmp_path)) == {
        "b": {"c": "?"},
        "d": "?",
    }
    for number in range(200):
        (tmp_path / f"m{number}.js").write_text(f"module.exports = {{ a: require('./m{number + 1}') }}")
    assert "too deeply" in Reader(tmp_path, {}).read(tmp_path / "m0.js").holes()[0][1].reason


def test_links_do_not_leave_the_project(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "secret.json").write_text('{"a": 1}')
    (project / "link.json").symlink_to(tmp_path / "secret.json")
    found = read("module.exports = { a: require('./link.json'), b: require('fs').readFileSync('link.json') }", project)
    assert shown(found) == {"a": "?", "b": "?"}
