"""`octavo generate`: generated code is served and works; errors are reported, and nothing is overwritten."""

import asyncio
import json
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from octavo.cli import main
from octavo.testing import open_site
from tests.cli.projects import database_variables

pytestmark = pytest.mark.anyio


def run(project: Path, *words: str, said: str | None = None) -> Result:
    return CliRunner().invoke(main, ["generate", *words, "--project", str(project)], input=said)


def made(project: Path, *words: str, said: str | None = None) -> str:
    result = run(project, *words, said=said)
    assert result.exit_code == 0, result.output
    return result.output


def read(project: Path, name: str) -> dict[str, object]:
    found: dict[str, object] = json.loads((project / name).read_text())
    return found


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    return tmp_path


async def test_all_generated_code_is_served(project: Path) -> None:
    made(project, "component", "shared.seo", "title:string:required")
    made(project, "api", "speaker", "name:string:required")
    words = ("title:string:required", "speaker:manyToOne:speaker:inversedBy=talks", "seo:component:shared.seo:required")
    assert made(project, "api", "talk", *words).splitlines() == [
        "Created src/api/talk/content-types/talk/schema.json",
        "Created src/api/talk/controllers/talk.py",
        "Created src/api/talk/services/talk.py",
        "Created src/api/talk/routes/talk.py",
        "Added to src/api/speaker/content-types/speaker/schema.json",
        "Requests return 403 until a role has permissions: octavo permissions grant public 'api::talk.talk.find*'",
    ]
    made(project, "content-type", "about", "text:richtext", "--single", "--no-drafts")
    made(project, "controller", "status")
    made(project, "route", "status", "--path", "/status", "--handler", "status.index", "--public")
    made(project, "route", "by-number", "--api", "talk", "--path", "/talks/by-number/:number", "--public")
    made(project, "policy", "is-member")
    made(project, "middleware", "timing")
    made(project, "middleware", "shout", "--api", "talk", "--graphql")
    made(project, "lifecycle", "talk")
    made(project, "lifecycle", "plugin::users-permissions.user")
    made(project, "migration", "fill-levels")
    async with open_site(project) as site:
        talk = await site.make("api::talk.talk", speaker=await site.make("api::speaker.speaker"))
        await site.allow("public", "api::talk.talk.find", "api::speaker.speaker.find", "api::about.about.find")
        speakers = (await site.get("/api/speakers", query={"populate": ["talks"]})).json()["data"]
        assert [entry["id"] for entry in speakers[0]["attributes"]["talks"]["data"]] == [talk.id]
        await site.make("api::about.about")
        assert (await site.get("/api/about")).status_code == 200
        assert (await site.get("/api/status")).json() == {"name": "status"}
        assert (await site.get("/api/talks/by-number/7")).json() == {"params": {"number": "7"}}
        assert (await site.deliver()) > 0
        assert [entry["id"] for entry in await site.app.service("api::talk.talk").example()] == [talk.id]


def test_definitions_are_written_as_v4_writes_them(project: Path) -> None:
    made(project, "content-type", "news-story", "slug:uid:targetField=headline", "headline:string:private:maxLength=9")
    text = (project / "src/api/news-story/content-types/news-story/schema.json").read_text()
    assert text == json.dumps(json.loads(text), indent=2) + "\n"
    assert list(json.loads(text)) == ["kind", "collectionName", "info", "options", "pluginOptions", "attributes"]
    assert json.loads(text)["collectionName"] == "news_stories"
    assert json.loads(text)["attributes"] == {
        "slug": {"type": "uid", "targetField": "headline"},
        "headline": {"type": "string", "private": True, "maxLength": 9},
    }


def test_without_a_name_it_asks(project: Path) -> None:
    said = "Blog Post\nblog-post\n\n\nn\ny\ny\ntitle\nstring\ny\nbad name\nseo\ncomponent\n\nshared.x\nn\n\n"
    result = run(project, "content-type", said=said)
    assert result.exit_code == 1
    assert "'Blog Post' is not a valid name of a content type" in result.output
    assert "'bad name' is not a valid attribute name" in result.output
    assert "unknown component 'shared.x'" in result.output
    assert not (project / "src/api").exists()
    said = "blog-post\n\n\nn\ny\ny\ntitle\nstring\ny\nrelated\nmanyToMany\nblog-post\nn\n\n"
    made(project, "content-type", said=said)
    raw = read(project, "src/api/blog-post/content-types/blog-post/schema.json")
    assert raw["pluginOptions"] == {"i18n": {"localized": True}}
    assert raw["attributes"] == {
        "title": {"type": "string", "required": True},
        "related": {"type": "relation", "relation": "manyToMany", "target": "api::blog-post.blog-post"},
    }
    made(project, "component", said="shared\nseo\n\n\n")
    assert (project / "src/components/shared/seo.json").is_file()
    made(project, "policy", said="is-member\n")
    assert (project / "src/policies/is-member.py").is_file()


def test_nothing_is_overwritten(project: Path) -> None:
    made(project, "content-type", "talk")
    made(project, "controller", "talk")
    before = (project / "src/api/talk/controllers/talk.py").read_text()
    assert "already exists and is never overwritten" in run(project, "controller", "talk").output
    assert "api::talk.talk already exists" in run(project, "api", "talk").output
    assert (project / "src/api/talk/controllers/talk.py").read_text() == before
    assert not (project / "src/api/talk/services").exists()


@pytest.mark.parametrize(
    "words, told",
    [
        (("content-type", "Talk"), "'Talk' is not a valid name of an API: use lowercase letters"),
        (("content-type", "x", "a"), "expected NAME:TYPE, such as a:string"),
        (("content-type", "x", "a:strin"), "unknown type 'strin'; did you mean string?"),
        (("content-type", "x", "a:enumeration"), "expected a:enumeration:easy,hard"),
        (("content-type", "x", "a:oneToOne:nope"), "unknown content type 'nope'"),
        (("content-type", "x", "a:string", "a:text"), "a: given twice"),
        (("content-type", "x", "a:string:red"), "'red' is neither key=value nor one of required"),
        (("content-type", "x", "id:string"), "this name is reserved"),
        (("content-type", "x", "a:string:maxLength=long"), "maxLength"),
        (("content-type", "x", "a:component:no.such"), "unknown component 'no.such'"),
        (("content-type", "x", "a:morphToOne:inversedBy=b"), "inversedBy requires"),
        (("content-type", "news", "--plural", "news"), "must differ from the singular; set it with --plural"),
        (("component", "seo"), "expected CATEGORY.NAME, such as shared.seo"),
        (("route", "talk"), "unknown content type api::talk.talk. For a custom route, pass --path"),
        (("route", "x", "--path", "talks"), "a path must begin with /"),
        (("lifecycle", "nope"), "unknown content type 'nope'"),
        (("lifecycle", "admin::user"), "admin::user cannot have a hooks file"),
        (("policy", "../x"), "is not a valid name of the policy"),
        (("policy", "x", "--api", "../y"), "is not a valid name of an API"),
    ],
)
def test_invalid_requests_are_reported(project: Path, words: tuple[str, ...], told: str) -> None:
    result = run(project, *words)
    assert (result.exit_code, told in result.output) == (1, True), result.output
    assert list((project / "src").rglob("*")) == []


def test_the_other_side_must_be_defined_by_the_project(project: Path) -> None:
    made(project, "content-type", "talk", "title:string")
    refused = run(project, "content-type", "x", "a:oneToOne:talk:inversedBy=title")
    assert "api::talk.talk already has an attribute 'title'" in refused.output
    refused = run(project, "content-type", "x", "a:oneToOne:plugin::upload.file:inversedBy=b")
    assert "plugin::upload.file is not defined by the project" in refused.output


async def test_a_job_and_a_task(project: Path) -> None:
    assert made(project, "job", "remind-speakers") == "Created src/jobs/remind_speakers.py\n"
    assert made(project, "job", "nightly", "--cron", "0 3 * * *") == "Created src/cron.py\n"
    assert "never overwritten" in run(project, "job", "weekly", "--cron", "0 3 * * 1").output
    assert "--cron: " in run(project, "job", "hourly", "--cron", "61 * * * *").output
    index = """
from .jobs.remind_speakers import remind_speakers

async def bootstrap(app):
    await app.enqueue(remind_speakers, "world")
"""
    (project / "src/index.py").write_text(index)
    async with open_site(project) as site:
        assert await site.deliver() == 1
        await site.run_task("nightly")


def test_a_plugin_is_created_beside_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("src", "config"):
        (tmp_path / "project" / name).mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "project")
    reported = CliRunner().invoke(main, ["generate", "plugin", "good-day"]).output
    assert "Created ../octavo-good-day/octavo_good_day/index.py" in reported
    assert (tmp_path / "octavo-good-day/pyproject.toml").is_file()


def test_left_out_attributes_are_reported(project: Path) -> None:
    made(project, "content-type", "talk", "title:string")
    result = run(project, "content-type", "guest", "talks:oneToMany:talk:mappedBy=guest")
    assert result.exit_code == 0, result.output
    assert "guest/schema.json: attributes.talks.mappedBy: the target has no such relation" in result.output


async def test_a_plugin_is_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reported = CliRunner().invoke(main, ["generate", "plugin", "good-day", "--folder", str(tmp_path)]).output
    assert "Created octavo-good-day/octavo_good_day/index.py" in reported
    folder = tmp_path / "octavo-good-day"
    declared = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    (package,) = declared["entry-points"]["octavo.plugins"].items()
    metadata = folder / "octavo_good_day-0.1.0.dist-info"  # as an installation writes it
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {declared['name']}\nVersion: 0.1.0\n")
    (metadata / "entry_points.txt").write_text(f"[octavo.plugins]\n{package[0]} = {package[1]}\n")
    monkeypatch.syspath_prepend(str(folder))
    project = tmp_path / "project"
    for name in ("src", "config"):
        (project / name).mkdir(parents=True)
    (project / "config/plugins.toml").write_text("[good-day]\nenabled = true\nconfig = { greeting = 'Hi' }\n")
    async with open_site(project) as site:
        assert (await site.get("/api/good-day")).json() == {"greeting": "Hi"}


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_a_public_type_is_readable_without_signing_in(
    project: Path, kind: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind == "postgresql":
        for name, value in database_variables(request.getfixturevalue("postgresql_url")).items():
            monkeypatch.setenv(name, value)
    reported = await asyncio.to_thread(made, project, "content-type", "talk", "title:string", "--public")
    assert reported.splitlines()[1:] == ["Granted to public: api::talk.talk.find, api::talk.talk.findOne"]
    await asyncio.to_thread(made, project, "content-type", "about", "text:text", "--single", "--public")
    listed = await asyncio.to_thread(CliRunner().invoke, main, ["permissions", "list", "--project", str(project)])
    actions = [line.split()[-1] for line in listed.output.splitlines() if line.startswith("public")]
    assert [one for one in actions if one.startswith("api::")] == [
        "api::talk.talk.find",
        "api::talk.talk.findOne",
        "api::about.about.find",
    ]


async def test_a_public_type_without_a_database_shows_the_command_to_run_later(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"CLIENT": "postgres", "HOST": "127.0.0.1", "PORT": "1", "NAME": "x", "SSL": "disable"}.items():
        monkeypatch.setenv(f"DATABASE_{name}", value)
    result = await asyncio.to_thread(run, project, "content-type", "talk", "title:string", "--public")
    assert result.exit_code == 1
    assert result.stderr.rstrip().endswith("Run later: octavo permissions grant public 'api::talk.talk.find*'")
    assert (project / "src/api/talk/content-types/talk/schema.json").is_file()
