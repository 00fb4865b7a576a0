"""Exports, declarations and imports of modules."""

from pathlib import Path

import pytest

from octavo.v4.javascript.modules import bindings_of, exports_of, resolve
from octavo.v4.javascript.parse import parse_file, parse_text
from octavo.v4.javascript.syntax import callee, parameters, properties, returned, string_value, unwrap, walk


def exported(text: str, file: str = "a.js") -> str | None:
    module = parse_text(text, file)
    value = exports_of(module).value
    return None if value is None else module.text(unwrap(value))


@pytest.mark.parametrize(
    "text, value",
    [
        ("module.exports = { a: 1 };", "{ a: 1 }"),
        ("module['exports'] = x", "x"),
        ("module.exports = exports = x", "x"),
        ("exports = module.exports = x", "x"),
        ("const c = { a: 1 }; module.exports = c;", "{ a: 1 }"),
        ("const c = { a: 1 }; const d = c; module.exports = d;", "{ a: 1 }"),
        ("let c = { a: 1 }; module.exports = c;", "c"),
        ("const c = d; const d = c; module.exports = c", "c"),
        ("module.exports = ({ env }) => ({ a: 1 })", "({ env }) => ({ a: 1 })"),
        ("export default { a: 1 }", "{ a: 1 }"),
        ("export default () => 1", "() => 1"),
        ("function f() { return 1 }\nmodule.exports = f", "function f() { return 1 }"),
        ("export default function () { return 1 }", "function () { return 1 }"),
        ("const x = 1; export { x as default }", "1"),
        ("'use strict'; exports.default = x", "x"),
        ("module.exports = x; module.exports = y", "y"),
        ("const a = 1", None),
    ],
)
def test_the_exported_expression(text: str, value: str | None) -> None:
    assert exported(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "export default { a: 1 } as Config;",
        "export default { a: 1 } satisfies Config;",
        "export default <Config>{ a: 1 };",
        "export = { a: 1 };",
        "const c: Config = { a: 1 } as const; export default c!;",
    ],
)
def test_types_are_ignored(text: str) -> None:
    assert exported(text, "a.ts") == "{ a: 1 }"


def test_single_names() -> None:
    module = parse_text(
        "const b = 2; exports.a = 1; module.exports.b = b; export const c = 3, d = 4; export function e() {}\n"
        "export { b as f }; export * from './g'; export { h } from './i';"
    )
    found = exports_of(module)
    assert {name: module.text(node)[:8] for name, node in found.names.items()} == {
        "a": "1",
        "b": "2",
        "c": "3",
        "d": "4",
        "e": "function",
        "f": "2",
    }
    assert [(one.specifier, one.name) for one in found.again] == [("./g", None), ("./i", "h")]
    module = parse_text("const b = 1; module.exports = { a: 1, b, c() {}, 'd-e': 2, ...f }")
    assert list(exports_of(module).names) == ["a", "b", "c", "d-e"]


@pytest.mark.parametrize(
    "text", ["if (a) module.exports = b", "module.exports.a.b = 1", "function f() { module.exports = 1 }"]
)
def test_conditional_exports_are_uncertain(text: str) -> None:
    assert exports_of(parse_text(text)).uncertain is not None


def test_bindings() -> None:
    module = parse_text(
        "const a = 1, { b, c: { d } } = require('x'); let e = 2; function f() {} class G {}\n"
        "const { env: { H } } = process; const [i, j = 1] = k; const { l = 1, ...m } = n;\n"
        "import o, { p as q } from './p'; import * as r from 'r'; const s = require('./s').t;"
    )
    found = bindings_of(module)
    assert {name: binding.taken for name, binding in found.items()} == {
        "a": (), "b": ("b",), "d": ("c", "d"), "e": (), "f": (), "G": (), "H": ("env", "H"), "i": ("0",), "j": None,
        "l": None, "m": None, "o": (), "q": (), "r": (), "s": (),
    }  # fmt: skip
    imported = {name: (one.specifier, one.name) for name, binding in found.items() if (one := binding.imported)}
    assert imported == {
        "b": ("x", "b"), "d": ("x", "c"), "o": ("./p", "default"), "q": ("./p", "p"), "r": ("r", None),
        "s": ("./s", "t"),
    }  # fmt: skip
    assert [name for name, binding in found.items() if not binding.constant] == ["e"]


def test_imports_lead_to_files_of_the_project(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "config" / "cron").mkdir(parents=True)
    for name in ("config/a.js", "config/b.json", "config/cron/index.ts", "config/c.ts", "../outside.js"):
        (project / name).write_text("{}")
    (project / "config" / "link.js").symlink_to(tmp_path / "outside.js")
    module = parse_file(project / "config" / "a.js", project)
    found = {
        name: path.relative_to(project).as_posix()
        for name in (
            "./a",
            "./a.js",
            "./b",
            "./cron",
            "./c.js",
            ".",
            "../config/a",
            "../../outside",
            "./link",
            "lodash",
        )
        if (path := resolve(module, name)) is not None
    }
    assert found == {
        "./a": "config/a.js",
        "./a.js": "config/a.js",
        "./b": "config/b.json",
        "./cron": "config/cron/index.ts",
        "./c.js": "config/c.ts",
        "../config/a": "config/a.js",
    }


def test_small_questions() -> None:
    module = parse_text(
        "module.exports = createCoreController('api::a.a', ({ strapi }) => ({\n"
        "  async find(ctx) { const x = () => { return 1 }; if (ctx) { return 2 } return super.find(ctx) },\n"
        "}));"
    )
    call = exports_of(module).value
    assert call is not None
    assert callee(module, call) == ("createCoreController",)
    found = next(node for node in walk(call) if node.type == "method_definition")
    assert [module.text(node) for node in parameters(found)] == ["ctx"]
    assert [module.text(node) for node in returned(found)] == ["2", "super.find(ctx)"]


@pytest.mark.parametrize(
    "literal, value",
    [
        (
            r"'a\n\x41\u{1F389}\u0042\'\
b'",
            "a\nA🎉B'b",
        ),
        (r'"\ud83c\udf89"', "🎉"),
        (r'"\ud83c"', "\ufffd"),
        (r"`a\`b`", "a`b"),
        (r"'\0\8\v'", "\x008\x0b"),
        ("`a${b}`", None),
        ("a", None),
    ],
)
def test_strings(literal: str, value: str | None) -> None:
    module = parse_text(f"module.exports = {literal}")
    node = exports_of(module).value
    assert node is not None
    assert string_value(module, node) == value


def test_properties() -> None:
    module = parse_text("module.exports = { a: 1, 'b c': 2, ['d']: 3, [e]: 4, f, g() {}, 5: 6, ...h, a: 7 }")
    value = exports_of(module).value
    assert value is not None
    assert {name: module.text(node) for name, node in properties(module, value).items()} == {
        "a": "7",
        "b c": "2",
        "d": "3",
        "f": "f",
        "g": "g() {}",
        "5": "6",
    }
