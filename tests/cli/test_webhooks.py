"""`octavo webhooks`: create, show, update, test, and the delivery log."""

import pytest

from tests.cli.conftest import Call, answered, refused, said
from tests.events.webhooks.newsroom import Listener
from tests.http_services import Answer, serving


def test_the_life_of_a_webhook(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    listener = Listener(first={"/hook": [Answer(500, b"broken")]})
    with serving(listener.answer) as url:
        monkeypatch.setenv("OCTAVO_SERVER__WEBHOOKS__PRIVATE_HOSTS", url.removeprefix("http://"))
        made = answered(call("webhooks", "create", "build", "--url", f"{url}/hook", "--header", "A: b", "--json"))
        assert made["secret"].startswith("whsec_")
        assert made["headers"] == {"A": "b"}
        (listed,) = answered(call("webhooks", "list", "--json"))
        assert listed == {**{name: value for name, value in made.items() if name != "secret"}, "signed": True}
        assert refused(call("webhooks", "test", "1")).endswith("the response was 500")
        assert said(call("webhooks", "test", "1"))[0].startswith("Received 200 in")
        assert [one.headers["a"] for one in listener.at("/hook")] == ["b", "b"]
    changing = ("--event", "entry.publish", "--type", "api::*", "--clear", "headers", "--clear", "secret", "--json")
    changed = answered(call("webhooks", "update", "1", *changing))
    assert (changed["events"], changed["types"], changed["headers"]) == (["entry.publish"], ["api::*"], {})
    assert changed["signed"] is False
    assert said(call("webhooks", "disable", "1")) == ["Disabled the webhook build."]
    assert said(call("webhooks", "list"))[1].endswith("off")
    assert said(call("webhooks", "enable", "1")) == ["Enabled the webhook build."]
    log = answered(call("webhooks", "deliveries", "1", "--json"))
    assert [(one["status"], one["answer"]) for one in log] == [(200, ""), (500, "broken")]
    assert [one["delivered"] for one in log] == [True, False]
    again = said(call("webhooks", "redeliver", log[1]["message_id"]))
    assert again == [f"Redelivering trigger-test to {url}/hook."]
    assert said(call("webhooks", "delete", "1")) == ["Deleted the webhook build."]
    assert answered(call("webhooks", "list", "--json")) == []


def test_a_url_that_gets_no_deliveries_is_reported(call: Call) -> None:
    remedy = "To allow it, add 127.0.0.1 to privateHosts in [webhooks] of config/server.toml"
    reported = f"127.0.0.1 is not a public address. {remedy}"
    made = call("webhooks", "create", "home", "--url", "http://127.0.0.1:9/")
    assert (made.exit_code, made.stderr) == (0, f"Warning: {reported}\n")
    assert call("webhooks", "update", "1", "--name", "house").stderr == ""
    assert call("webhooks", "update", "1", "--url", "http://nowhere.invalid/").stderr == ""
    assert call("webhooks", "update", "1", "--url", "http://127.0.0.1/").stderr == f"Warning: {reported}\n"


def test_refuses(call: Call) -> None:
    message = """\
url: url must be a URL that begins with http:// or https://
headers.Host: this header is set by the service"""
    wrong = ("--url", "example.org", "--header", "Host: x")
    assert refused(call("webhooks", "create", "build", *wrong)) == message
    assert refused(call("webhooks", "show", "7")) == "No webhook has the ID 7"
    assert refused(call("webhooks", "redeliver", "msg_0")) == "No message has the ID msg_0"
