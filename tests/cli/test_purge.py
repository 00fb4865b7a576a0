"""`octavo purge`: what it takes and refuses."""

from pathlib import Path

import pytest

from tests.cli.conftest import Call, refused, said


@pytest.mark.parametrize("call", ["sqlite"], indirect=True)
def test_names_that_nothing_has_are_refused(call: Call, project: Path) -> None:
    assert "there are no caches to tell" in refused(call("purge"))
    (project / "config").mkdir(exist_ok=True)
    text = '[caching.surrogateKeys]\nheaders = ["Surrogate-Key"]\n[caching.purge.caches.front]\nkind = "purge"\nurl = "http://127.0.0.1:9"\n'
    (project / "config/api.toml").write_text(text, "utf-8")
    for wrong in ("nonsense", "api::nothing.nothing", "api::nothing.nothing:5", "api::story.story:one"):
        assert refused(call("purge", "api::story.story", wrong)).startswith(f"{wrong} is no content-type")
    assert said(call("purge", "api::story.story", "api::story.story:5")) == [
        "front will forget api::story.story, api::story.story:5"
    ]
    assert said(call("purge")) == ["front will forget all they have"]
    (project / "config/api.toml").write_text("x = ", "utf-8")
    assert "in the settings" in refused(call("purge"))
