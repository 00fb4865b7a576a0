"""Middlewares that redirect from the site's root close nothing. Those that act on other paths do."""

from pathlib import Path

import pytest

from tests.models.v4_project import TEXT, read_project

REDIRECT = "ctx.redirect('/admin');"


@pytest.mark.parametrize(
    "body, is_open",
    [
        (f"if (ctx.path !== '/') {{ await next(); return; }} {REDIRECT}", True),
        (f"if (ctx.path != '/') return next(); {REDIRECT} ctx.status = 301;", True),
        (f"if (ctx.url !== '/' && ctx.url !== '/index.html') return await next(); {REDIRECT}", True),
        (f"if (ctx.request.path === '/') {{ {REDIRECT} return; }} await next();", True),
        (f"if (ctx.request.url === '/') {{ {REDIRECT} }} else {{ await next(); }}", True),
        (f"if (ctx.path === '/' || ctx.path === '/index.html') {REDIRECT} return next();", True),
        (f"if (ctx.path !== '/api') return next(); {REDIRECT}", False),
        (f"if (ctx.path === prefix) {{ {REDIRECT} }} await next();", False),
        (f"if (ctx.path === '/') {{ await next(); return; }} {REDIRECT}", False),
        (f"if (ctx.path !== '/') {{ await next(); }} {REDIRECT}", False),
        (f"if (ctx.path !== '/' || check()) return next(); {REDIRECT}", False),
        (f"if (ctx.path !== '/' && ctx.state.user) return next(); {REDIRECT}", False),
        (f"if (ctx.path === '/') {{ {REDIRECT} }} ctx.throw(403); await next();", False),
        (f"if (ctx.path === '/') {{ {REDIRECT} }} else if (check()) {{ await next(); }}", False),
        (f"if (ctx.path === '/') {{ {REDIRECT} }}", False),
        (f"if (ctx.path === '/') {{ {REDIRECT} }} next(check());", False),
        ("if (ctx.path !== '/') { check(); return next(); }", False),
    ],
)
def test_redirects_from_the_root(tmp_path: Path, body: str, is_open: bool) -> None:
    files: dict[str, str | None] = {
        "config/middlewares.js": "module.exports = ['strapi::body', 'global::redirect'];",
        "src/middlewares/redirect.js": f"module.exports = () => {{ return async (ctx, next) => {{ {body} }}; }};",
    }
    code = read_project(tmp_path, {"note": {"title": TEXT}}, files)
    assert [guard.name for guard in code.everywhere] == ([] if is_open else ["global::redirect"])
