"""Mail templates: data is inserted, code is not run, and the valid template nearest to the project is used."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from octavo.core.mail.mailers import Message
from octavo.core.mail.templates import BUILT_IN, TemplateProblem, compose, render

DATA = {"URL": "https://club.example/reset", "TOKEN": "1-abc", "USER": {"username": "<b>Ann</b>", "tags": ["x"]}}


@pytest.mark.parametrize(
    "text, expected",
    [
        ("", ""),
        ("<%= URL %>?code=<%=TOKEN%>", "https://club.example/reset?code=1-abc"),
        ("<%- TOKEN %> <%=  USER.username  %>", "1-abc &lt;b&gt;Ann&lt;/b&gt;"),
        ("<%= USER %><%= USER.tags %><%= NOBODY.name %><%= URL.length %>", ""),
        ("{{TOKEN}} ${TOKEN} {TOKEN} %s", "{{TOKEN}} ${TOKEN} {TOKEN} %s"),
        ("<%= TOKEN", "<%= TOKEN"),
    ],
)
def test_render(text: str, expected: str) -> None:
    assert render(text, DATA, escape=True) == expected


@pytest.mark.parametrize(
    "tag",
    [
        "<% process.exit() %>",
        "<%= 1 + 1 %>",
        "<%= USER.constructor() %>",
        "<%= USER['username'] %>",
        "<%= __class__ %>",
        "<%= USER.__class__ %>",
        "<%= %>",
        "<%%>",
        "<%= a.b. %>",
    ],
)
def test_code_is_refused(tag: str) -> None:
    with pytest.raises(TemplateProblem):
        render(f"a {tag} b", DATA)


def stored(message: str, subject: str = "Stored", email: str = "club@example.org") -> str:
    options = {"from": {"name": "Club", "email": email}, "response_email": "", "object": subject, "message": message}
    return json.dumps({"reset_password": {"options": options}})


@pytest.mark.parametrize(
    "file, given, expected",
    [
        (None, None, Message("a@b.example", BUILT_IN["reset_password"].subject, "")),
        (None, "{", Message("a@b.example", BUILT_IN["reset_password"].subject, "")),
        (None, "[]", Message("a@b.example", BUILT_IN["reset_password"].subject, "")),
        (
            None,
            stored("<%= TOKEN %>", "For <%= USER.username %>\r\nBcc: x"),
            Message("a@b.example", "For <b>Ann</b> Bcc: x", "1-abc", "club@example.org", "Club"),
        ),
        (None, stored("x", email="no-reply@strapi.io"), Message("a@b.example", "Stored", "x", "", "Club")),
        (None, stored("<%= code() %>"), Message("a@b.example", BUILT_IN["reset_password"].subject, "")),
        (
            "<title>Own &amp; &lt;%= TOKEN %&gt;</title><p><%= TOKEN %>",
            stored("x"),
            Message(
                "a@b.example",
                "Own & 1-abc",
                "<title>Own &amp; &lt;%= TOKEN %&gt;</title><p>1-abc",
                "club@example.org",
                "Club",
            ),
        ),
        ("<%= code() %>", stored("x"), Message("a@b.example", "Stored", "x", "club@example.org", "Club")),
        ("own", None, Message("a@b.example", BUILT_IN["reset_password"].subject, "own")),
    ],
)
def test_compose(tmp_path: Path, file: str | None, given: str | None, expected: Message) -> None:
    if file is not None:
        (tmp_path / "emails").mkdir()
        (tmp_path / "emails/reset_password.html").write_text(file)
    message = compose("reset_password", tmp_path, given, "a@b.example", DATA)
    html = expected.html or render(BUILT_IN["reset_password"].html, DATA, escape=True)
    assert message == Message(
        expected.to, expected.subject, html, expected.sender, expected.sender_name, expected.reply_to
    )


def test_a_template_that_is_no_utf8_is_sent_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "emails").mkdir()
    (tmp_path / "emails/reset_password.html").write_bytes(b"Gr\xfc\xdfe")
    assert compose("reset_password", tmp_path, None, "a@b.example", DATA).html == "Gr\ufffd\ufffde"


def test_an_invalid_template_is_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        compose("reset_password", tmp_path, stored("<%= code() %>"), "a@b.example", DATA)
    assert "reset_password is not used: <%= code() %> is not a known variable" in caplog.text


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_built_in_templates_are_sound(tmp_path: Path, name: str) -> None:
    data: dict[str, Any] = {**DATA, "CODE": "1-abc"}
    assert "https://club.example/reset" in compose(name, tmp_path, None, "a@b.example", data).html
    assert "1-abc" in compose(name, tmp_path, None, "a@b.example", data).html
