"""Parts of the report: counterparts by package name, the summary, hostile names in pages."""

import pytest

from octavo.cli.v4_report import open_ends, summary
from octavo.schema.loader import load_registry
from octavo.v4.adoption.markdown import to_markdown
from octavo.v4.adoption.plugins import counterparts
from octavo.v4.adoption.report import Closed, CodeItem, Item, Plugin, Report, SettingItem, Verdict
from octavo.v4.adoption.sections import merged
from octavo.v4.closed_operations import find_closed_operations
from octavo.v4.code import Code
from octavo.v4.code.code import Guard, Hook
from octavo.v4.javascript.source import Place
from tests.models.bookshop import DEFINITIONS

_CODE = CodeItem("src/a.js", 1, "hook", "api::a.a.beforeCreate", "sets slug", "to port")


@pytest.mark.parametrize(
    "package,verdict",
    [
        ("strapi-plugin-populate-deep", Verdict.WORKS),
        ("@strapi/plugin-graphql", Verdict.WORKS),
        ("@ckeditor/strapi-plugin-ckeditor", Verdict.WORKS),
        ("strapi-plugin-multi-select", Verdict.WORKS),
        ("@strapi/plugin-seo", Verdict.WORKS),
        ("@pluginpal/strapi-plugin-sitemap", Verdict.ABSENT),
        ("strapi-plugin-transformer", Verdict.ABSENT),
        ("@strapi/plugin-documentation", Verdict.WORKS),
        ("@strapi/plugin-sentry", Verdict.INSTEAD),
        ("strapi-plugin-config-sync", Verdict.INSTEAD),
        ("strapi-provider-rest-cache-redis", Verdict.IDLE),
        ("@strapi/provider-upload-cloudinary", Verdict.WORKS),
        ("strapi-provider-upload-do", Verdict.ABSENT),
        ("@strapi/design-system", Verdict.IDLE),
    ],
)
def test_counterparts(package: str, verdict: Verdict) -> None:
    [found] = counterparts({package: "1.0.0", "lodash": "4.0.0"})
    assert (found.verdict, bool(found.says)) == (verdict, True)


def test_findings_with_one_cause_are_one_row() -> None:
    unset = "cannot be known: the variable X is not set (set it in .env)"
    rows = [("a.js:1", "host", f"{unset}; write host"), ("a.js:1", "port", f"{unset}; write port")]
    assert merged(rows) == (("a.js:1", "host, port", unset),)
    others = [("a.js:1", "host", "open", "code; write a"), ("a.js:1", "port", "open", "code; write b")]
    assert merged(others) == (("a.js:1", "host, port", "open", "code; write a; write b"),)
    assert len(merged([*others, ("a.js:2", "port", "open", "code; write b")])) == 2


def test_graphql_fields_are_closed_if_graphql_is_installed() -> None:
    article = load_registry(DEFINITIONS)
    hook = Hook("api::book.book", ("create",), Guard("x", Place("a.js"), ""))
    assert find_closed_operations(Code(hooks=(hook,)), article).fields
    assert not find_closed_operations(Code(hooks=(hook,)), article, has_graphql=False).fields


def test_the_summary_has_five_lines_at_most() -> None:
    settings = [SettingItem("open", f"config/server.js:{line}", "url", "", None, "no") for line in range(9)]
    closed = [Closed(f"global::{name}", "src/policies/x.js:1", "", ("GET /a", "GET /b")) for name in "pqrst"]
    full = Report(
        project="",
        version="4.20.0",
        version_source="yarn.lock",
        settings=tuple(settings),
        closed=tuple(closed),
        code=(_CODE,),
        plugins=(Plugin("x", "1", Verdict.ABSENT, ""),),
        definitions=(Item("a", "b", "c"), Item("a", "d", "e", is_unserved=True)),
    )
    assert list(summary(full)) == [
        "Strapi 4.20.0, according to yarn.lock: 0 settings in use, 9 not understood; 1 piece of code to port, "
        "1 plugin not available",
        "  Closed until ported or allowed: GET /a, GET /b, because of global::p, global::q, global::r and 2 more",
        "  config/server.js:0: url: no",
        "  config/server.js:1: url: no",
        "  For the complete report, run octavo adopt",
    ]
    assert open_ends(full) == 12, "v4 accepts the other remark as well"
    assert len(list(summary(Report(project="", version="4.20.0", version_source="yarn.lock")))) == 1


def test_names_cannot_leave_their_cell() -> None:
    hostile = Item("a|b\n## c", "<script>", "x" * 9000 + "\x1b[31m")
    page = to_markdown(Report(project="", version="", version_source="", stops=(hostile,)))
    [row] = [line for line in page.splitlines() if "script" in line]
    assert row.startswith("| a\\|b ## c | &lt;script&gt; | xxx")
    assert len(row) < 700
