"""Evaluation of expressions: JavaScript's value, or a hole."""

import math
from pathlib import Path
from typing import Any

import pytest

from octavo.v4.javascript.reader import Reader
from octavo.v4.javascript.values import UNDEFINED, Date, Regex, Value

VARIABLES = {
    "ONE": "1",
    "EMPTY": "",
    "NAME": "ann",
    "TRUE": "true",
    "LIST": '[a, "b" ,c]',
    "LIST2": "a,b",
    "JSON": '{"a": [1, null]}',
    "DAY": "2024-01-02",
    "PORT": "12abc",
    "FLOAT": "1.5x",
    "URL": "postgres://u%40:p%2Fw@db.example:5433/shop?ssl=true&a=b",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project").resolve()
    (folder / "data.json").write_text('{"a": {"b": [1, "x"]}}')
    (folder / "plain.js").write_text("module.exports = { a: 1, f: (x) => x + 1 };")
    (folder / "es.js").write_text("export default { d: 1 }; export const n = 2; export function g() { return 3 }")
    (folder / "again.js").write_text("export * from './es'; export { default as whole } from './plain';")
    (folder / "mistake.js").write_text("module.exports = {")
    (folder / "round.js").write_text("module.exports = { other: require('./round2') };")
    (folder / "round2.js").write_text("module.exports = { other: require('./round') };")
    (folder / "certs").mkdir()
    (folder / "certs" / "ca.crt").write_text("CERTIFICATE")
    return folder


def evaluated(text: str, project: Path, before: str = "", file: str = "a.js") -> Value:
    path = project / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{before}\nmodule.exports = {text};")
    return Reader(project, VARIABLES).read(path)


@pytest.mark.parametrize(
    "text, value",
    [
        # literals
        ("[1, 1.5, 0x10, 1_000, .5, 1e3, 0b11, 010]", [1, 1.5, 16, 1000, 0.5, 1000, 3, 8]),
        ("{ a: 1, 'b': 2, ['c' + 1]: 3, 4: 5, 'é': 6 }", {"a": 1, "b": 2, "c1": 3, "4": 5, "é": 6}),
        ("{ a: undefined, b: null }", {"b": None}),
        ("[undefined, null]", [None, None]),
        ("{ ...{ a: 1, b: 2 }, b: 3, ...null, ...undefined, ...false, ...[7] }", {"a": 1, "b": 3, "0": 7}),
        ("[...[1, 2], ...'ab']", [1, 2, "a", "b"]),
        ("/a\\/b/gi", Regex("a\\/b", "gi")),
        ("'a\\u00e9\\x41\\n'", "aéA\n"),
        ("`a${1}b${null}c${[1, [2]]}${{}}`", "a1bnullc1,2[object Object]"),
        # truthiness
        ("[!'', !'0', !0, !NaN, !null, !undefined, ![], !{}]", [True, False, True, True, True, True, False, False]),
        ("'' || 'b'", "b"),
        ("'' ?? 'b'", ""),
        ("null ?? 'b'", "b"),
        ("0 && 'b'", 0),
        ("'a' && 'b'", "b"),
        ("[] ? 1 : 2", 1),
        # equality and order
        ("[1 == '1', 1 === '1', null == undefined, null === undefined]", [True, False, True, False]),
        ("[0 == '', null == 0, '1' == true, [1] == 1, NaN === NaN]", [True, False, True, True, False]),
        ("[{} === {}, [] == [], '' != 0, true === 1]", [False, False, False, False]),
        ("[2 < '10', '2' < '10', null >= 0, undefined > 0]", [True, False, True, False]),
        # addition and concatenation
        ("1 + '2'", "12"),
        ("1 + 2 + 'a' + 1 + 2", "3a12"),
        ("'a' + null + undefined + true + 1.0 + 0.1", "anullundefinedtrue10.1"),
        ("[] + []", ""),
        ("[1 + null, 1 + true, '3' * '4', '6' / 2, 7 % 4, 2 ** 10, -7 % 3]", [1, 2, 12, 3, 3, 1024, -1]),
        ("200 * 1024 * 1024", 209715200),
        ("1 / 0", math.inf),
        ("'' + [1e21, 1e-7, 123456789012345680000, 0.1 + 0.2]", "1e+21,1e-7,123456789012345680000,0.30000000000000004"),
        ("[typeof 1, typeof 'a', typeof null, typeof undefined, typeof (() => 1), typeof nothing]",
         ["number", "string", "object", "undefined", "function", "undefined"]),
        ("[~5, +'3', -'3', 5 | 2, 5 & 4, 1 << 4]", [-6, 3, -3, 7, 4, 16]),
        # conversions
        ("[parseInt('12abc'), parseInt(' 7 '), parseInt('0x1f'), parseInt('1.9', 10), parseInt('11', 2)]",
         [12, 7, 31, 1, 3]),
        ("[Number(''), Number(' 12 '), Number('0x10'), Number(true), Number(null)]", [0, 12, 16, 1, 0]),
        ("[parseFloat('1.5px'), Boolean('false'), String(12), String(null)]", [1.5, True, "12", "null"]),
        ("JSON.parse('{\"a\": [1, null]}')", {"a": [1, None]}),
        ("JSON.stringify({ a: [1, 'x', undefined], b: undefined })", '{"a":[1,"x",null]}'),
        # strings and lists
        ("' a b '.trim().toUpperCase().split(' ')", ["A", "B"]),
        ("'a,b,,c'.split(',').filter(Boolean).map((x) => x + 1).join('-')", "a1-b1-c1"),
        ("['1', '2'].map(Number)", [1, 2]),
        ("[1].concat([2, 3], 4)", [1, 2, 3, 4]),
        ("['abc'.includes('b'), ['a'].includes('b'), 'abc'.startsWith('ab')]", [True, False, True]),
        ("'a\\\\nb'.replace(/\\\\n/g, '\\n')", "a\nb"),
        ("'aXbX'.replace('X', '-')", "a-bX"),
        ("['abc'[1], 'abc'.length, [1, 2].length, 'abc'.slice(1), 'abc'.slice(-1)]", ["b", 3, 2, "bc", "c"]),
        ("[1, 2, 3].find((x) => x > 1)", 2),
        ("Object.entries({ a: 1 }).map(([k, v]) => `${k}=${v}`)", ["a=1"]),
        ("[Object.keys({ a: 1 }), Object.values({ a: 1 })]", [["a"], [1]]),
        ("Object.assign({ a: 1 }, { b: 2 }, null)", {"a": 1, "b": 2}),
        ("[Math.max(1, 3), Math.round(2.5), Math.floor(-1.5)]", [3, 3, -2]),
        ("Array.isArray([1])", True),
        ("[NaN].includes(NaN)", True),
        ("['🎉'.length, 'é'.length]", [2, 1]),
        ("Object.keys({ 2: 1, a: 3, 1: 2 })", ["1", "2", "a"]),
        # properties
        ("({ a: { b: 1 } }).a?.b", 1),
        ("({ a: 1 }).b?.c.d.e", None),
        ("({ a: 1 })['a']", 1),
        ("[1, 2][1]", 2),
        ("({ a: 1 }).b", None),
        ("'a' in { a: 1 }", True),
        # functions
        ("((a, b = 2, ...c) => [a, b, c])(1, undefined, 3, 4)", [1, 2, [3, 4]]),
        ("(function ({ a: { b }, ...c }) { return [b, c] })({ a: { b: 1 }, d: 2 })", [1, {"d": 2}]),
        ("(() => { if (1 > 2) { return 1 } else if (2 > 1) return 2; return 3 })()", 2),
        ("(() => { let a = 1; a += 2; const b = [a]; b.push(4); return b })()", [3, 4]),
        ("(() => { const o = { a: 1 }; o.b = { c: 2 }; o.b.d = 3; delete o.a; return o })()", {"b": {"c": 2, "d": 3}}),
        ("((x) => { switch (x) { case 'a': return 1; case 'b': case 'c': return 2; default: return 3 } })('b')", 2),
        ("(() => { const a = []; for (const x of [1, 2]) a.push(x * 2); return a })()", [2, 4]),
        ("(() => { f(); function f() {} })()", None),
        ("[1, 2].reduce((a, b) => a + b, 0)", 3),
        # only the environment
        ("[process.env.ONE, process.env['NAME'], process.env.NODE_ENV]", ["1", "ann", "development"]),
        ("process.env.NONE", None),
        # Node
        ("new Date('2024-01-01')", Date("2024-01-01")),
        ("new URL('https://u:p@a.example:8443/x/y?z=1#q').host", "a.example:8443"),
        ("new URL('https://a.example:443').port", ""),
        ("new URL('https://a.example').pathname", "/"),
        ("new URL('postgres://u:p%20@h:5/d').password", "p%20"),
    ],
)  # fmt: skip
def test_expressions(text: str, value: Any, project: Path) -> None:
    assert evaluated(text, project).plain() == value


@pytest.mark.parametrize(
    "text, value",
    [
        ("env('NAME')", "ann"),
        ("env('NAME', 'x')", "ann"),
        ("env('NONE', 'x')", "x"),
        ("env('NONE')", None),
        ("env('EMPTY', 'x')", ""),
        ("env.int('PORT', 1)", 12),
        ("env.int('NONE', 1)", 1),
        ("env.int('NONE', '1')", "1"),
        ("env.float('FLOAT')", 1.5),
        ("env.bool('TRUE', false)", True),
        ("env.bool('ONE', true)", False),
        ("env.bool('NONE', true)", True),
        ("env.bool(true)", None),
        ("env.array('LIST')", ["a", "b", "c"]),
        ("env.array('LIST2')", ["a", "b"]),
        ("env.array('EMPTY', ['x'])", [""]),
        ("env.json('JSON')", {"a": [1, None]}),
        ("env.date('DAY')", Date("2024-01-02")),
        ("env.oneOf('NAME', ['ann', 'bob'], 'bob')", "ann"),
        ("env.oneOf('ONE', ['ann', 'bob'], 'bob')", "bob"),
        ("env('NONE') || 'x'", "x"),
        ("env('EMPTY') ?? 'x'", ""),
        ("env('NODE_ENV') === 'production' ? 1 : 2", 2),
        ("`${env('NAME')}:${env.int('ONE')}`", "ann:1"),
    ],
)
def test_env(text: str, value: Any, project: Path) -> None:
    (project / "env.js").write_text(f"module.exports = ({{ env }}) => ({{ value: {text} }});")
    found = Reader(project, VARIABLES).read_config(project / "env.js").at("value")
    assert not found.holes()
    assert found.plain() == value


@pytest.mark.parametrize(
    "before, text, value",
    [
        ("const path = require('path')", "path.join('a', '..', 'b', '')", "b"),
        ("const { join } = require('node:path')", "join('/a/', './b/')", "/a/b/"),
        ("import path from 'path'", "path.basename('/a/b.js', '.js') + path.extname('x.db')", "b.db"),
        ("const data = require('./data.json')", "data.a.b", [1, "x"]),
        ("const { a, f } = require('./plain')", "[a, f(1)]", [1, 2]),
        ("", "require('./plain').f(4)", 5),
        ("import whole, { n, g as h } from './es'", "[whole, n, h()]", [{"d": 1}, 2, 3]),
        ("import * as es from './es'", "es.n", 2),
        ("const es = require('./es')", "es.default", {"d": 1}),
        ("import { n, whole } from './again'", "[n, whole.a]", [2, 1]),
        ("const fs = require('fs')", "fs.readFileSync('./certs/ca.crt').toString()", "CERTIFICATE"),
        ("const fs = require('fs')", "[fs.existsSync('certs'), fs.existsSync('none')]", [True, False]),
        ("const { parse } = require('pg-connection-string')", "parse(process.env.URL)",
         {"user": "u@", "password": "p/w", "host": "db.example", "port": "5433", "database": "shop", "ssl": True,
          "a": "b"}),
        ("const { ONE, NONE = 'x', ...others } = process.env", "[ONE, NONE]", ["1", "x"]),
        ("const { env } = require('@strapi/utils')", "env('NAME')", "ann"),
        ("const c = { a: { x: 1 }, b: { x: 2 } }; const k = 'b'", "{ k, ...c[k] }", {"k": "b", "x": 2}),
        ("let a = 1; a = 2; if (a === 2) { a = 3 }", "a", 3),
        ("const a = {}; if (process.env.NONE) { a.b = 1 }", "a", {}),
        ("enum E { A }; const a = 1 as const", "a", 1),
    ],
)  # fmt: skip
def test_modules_and_constants(before: str, text: str, value: Any, project: Path) -> None:
    file = "a.ts" if "enum" in before else "a.js"
    (project / file).write_text(f"{before};\nmodule.exports = {{ value: {text} }};")
    found = Reader(project, VARIABLES).read(project / file).at("value")
    assert not found.holes()
    assert found.plain() == value


def test_folders_of_node(project: Path) -> None:
    (project / "config").mkdir(exist_ok=True)
    (project / "config" / "where.js").write_text(
        "const path = require('path'); module.exports = { a: path.join(__dirname, '..', '.tmp'), b: process.cwd(),"
        " c: path.resolve('x'), d: __filename };"
    )
    assert Reader(project, {}).read(project / "config" / "where.js").plain() == {
        "a": f"{project}/.tmp",
        "b": str(project),
        "c": f"{project}/x",
        "d": f"{project}/config/where.js",
    }


def test_paths_in_typescript_are_relative_to_the_compiled_file(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "tsconfig.json").write_text("{}")
    (tmp_path / "ca.crt").write_text("CERTIFICATE")
    (tmp_path / "config" / "a.ts").write_text(
        "import path from 'path'; import fs from 'fs';\n"
        "export default { a: path.join(__dirname, '..', '..', '.tmp'),"
        " b: fs.readFileSync(path.join(__dirname, '../ca.crt'), 'utf8') };"
    )
    value = Reader(tmp_path, {}).read_config(tmp_path / "config" / "a.ts")
    assert value.plain() == {"a": f"{tmp_path}/.tmp", "b": "CERTIFICATE"}


def test_undefined_is_not_null(project: Path) -> None:
    found = evaluated("{ a: null, b: undefined }", project)
    assert (found.at("a").data, found.at("b").data, found.at("c").data) == (None, UNDEFINED, UNDEFINED)
    assert found.keys() == ["a"]
