"""`octavo export`, `octavo import`, `octavo db copy`: confirmations, output and errors."""

import asyncio
import json
import tarfile
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from click.testing import Result

from octavo.cli.secret_checks import is_open_to_all
from octavo.database import open_database
from tests.cli.conftest import Call, purges, refused, said
from tests.cli.projects import STORY, write_type
from tests.operations.transfer.town import make_town, town_files
from tests.operations.transfer.v4_archives import write_archive
from tests.postgresql_server import PostgresqlServer, database_name


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_town(tmp_path / "town")


@pytest.mark.parametrize("call", ["sqlite"], indirect=True)
def test_import_and_export(call: Call, tmp_path: Path) -> None:
    archive = str(write_archive(tmp_path / "in.tar.gz.enc", town_files(), "key"))
    assert call("import", "-f", archive, input="key\nn\n").exit_code == 1
    assert refused(call("import", "-f", archive, "-k", "wrong")).endswith("the key is wrong, or the file is damaged")
    reported = said(call("import", "-f", archive, input="key\ny\n"))
    assert reported[-1].endswith("Imported 7 entries, 10 links, 2 files, 3 settings and webhooks.")
    assert "Active webhooks" in "".join(reported)
    assert "octavo webhooks disable ID" in "".join(reported)
    assert "This replaces all entries, users, roles and locales, uploaded files" in "".join(reported)
    out = tmp_path / "out"
    asked = said(call("export", "-f", str(out), input="geheim\ngeheim\n"))
    assert asked == [
        "7 entries, 10 links, 2 files, 3 settings and webhooks.",
        f"Exported to {out}.tar.gz.enc.",
    ]
    assert not is_open_to_all(Path(f"{out}.tar.gz.enc"))
    assert refused(call("export", "-f", str(out), "-k", "x")) == f"{out}.tar.gz.enc already exists; --force replaces it"
    said(call("export", "-f", str(out), "--no-encrypt", "--no-compress", "--only", "config"))
    assert refused(call("import", "-f", f"{out}.tar", "--force")) == (
        "The archive contains no content; import the rest with --only files,config"
    )
    said(call("import", "-f", f"{out}.tar", "--force", "--only", "config"))
    said(call("import", "-f", f"{out}.tar.gz.enc", "-k", "geheim", "--force"))


@pytest.mark.parametrize("call", ["sqlite"], indirect=True)
def test_an_archive_is_of_the_version_that_the_lock_file_names(call: Call, project: Path, tmp_path: Path) -> None:
    (project / "yarn.lock").write_text('"@strapi/strapi@^4.1.0":\n  version "4.13.7"\n')
    said(call("import", "-f", str(write_archive(tmp_path / "in.tar", town_files())), "--force"))
    said(call("export", "-f", str(tmp_path / "out"), "--no-encrypt", "--no-compress", "--only", "config"))
    with tarfile.open(tmp_path / "out.tar") as archive:
        metadata = archive.extractfile("metadata.json")
        assert metadata is not None
        assert json.load(metadata)["strapi"] == {"version": "4.13.7"}


@pytest.mark.parametrize("call", ["sqlite"], indirect=True)
def test_different_definitions_are_reported_before_data_is_lost(call: Call, project: Path, tmp_path: Path) -> None:
    archive = str(write_archive(tmp_path / "in.tar", town_files()))
    write_type(project, STORY)
    file = project / "src/components/parts/window.json"
    file.write_text(file.read_text("utf-8").replace('"integer"', '"string"'), "utf-8")
    result = call("import", "-f", archive, input="n\n")
    assert result.exit_code == 1
    assert "  api::story.story: only in the project" in result.stdout
    assert "  parts.window.panes: type is integer in the archive, string in the project" in result.stdout
    assert "10 links" in said(call("import", "-f", archive, "--force"))[-1]


@pytest.mark.parametrize("call", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    "arguments",
    [
        ("export", "--only", "pictures"),
        ("export", "--exclude", "content,files,config"),
        ("export", "--no-encrypt", "-k", "x"),
        ("import", "-f", "none.tar"),
        ("import",),
    ],
)
def test_wrong_calls(call: Call, arguments: tuple[str, ...]) -> None:
    assert call(*arguments).exit_code == 2


@pytest.mark.parametrize("call", ["sqlite"], indirect=True)
def test_copy(
    call: Call, project: Path, tmp_path: Path, postgresql_url: str, postgresql_server: PostgresqlServer
) -> None:
    archive = str(write_archive(tmp_path / "in.tar", town_files()))
    said(call("import", "-f", archive, "--force"))
    source = f"sqlite:///{project / '.octavo/data.db'}"
    reported = said(call("db", "copy", source, postgresql_url))
    assert reported[0].startswith("Copied ")
    assert "Active webhooks" in "".join(reported)
    assert "--force replaces its data" in refused(call("db", "copy", source, postgresql_url))
    unknown = "SELECT count(*) FROM pg_class WHERE relname IN ('houses', 'streets', 'up_roles') AND reltuples < 0"
    assert postgresql_server.run_sql(database_name(postgresql_url), unknown) == "0\n"
    back = f"sqlite:///{tmp_path / 'back.db'}"
    assert said(call("db", "copy", postgresql_url, back)) == said(call("db", "copy", source, postgresql_url, "--force"))
    assert refused(call("db", "copy", source, source)) == "source and target are the same database"
    missing = refused(call("db", "copy", "sqlite:///none.db", back))
    assert missing == f"the file {project}/none.db does not exist; relative paths start in the project's folder"
    assert refused(call("db", "copy", source, "oracle://x")).startswith("a database URL begins with")


@pytest.mark.parametrize("call", ["sqlite"], indirect=True)
def test_paths_of_a_copy_are_those_of_database_url(
    call: Call, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Relative to the project, wherever the command runs; `%20` is a space."""
    said(call("db", "upgrade"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    said(call("db", "copy", "sqlite:///.octavo/data.db", "sqlite:///the%20copy.db"))
    assert (project / "the copy.db").is_file()
    assert list((tmp_path / "elsewhere").iterdir()) == []
    same = ("sqlite:///.octavo/data.db", f"sqlite:///{project}/.octavo/data.db")
    assert refused(call("db", "copy", *same)) == "source and target are the same database"
    monkeypatch.setenv("DATABASE_URL", "sqlite:///the%20copy.db")
    assert said(call("db", "diff")) == ["The database matches the definitions."]
    assert refused(call("db", "copy", "sqlite:///", "sqlite:///x.db")).endswith(
        "expected sqlite:///relative/to/project or sqlite:////absolute"
    )


def test_a_service_that_runs_is_noticed(call: Call, project: Path, tmp_path: Path, postgresql_url: str) -> None:
    said(call("db", "upgrade"))
    file = project / ".octavo/data.db"
    url = f"sqlite:///{file}" if file.exists() else postgresql_url
    archive = ("import", "-f", str(write_archive(tmp_path / "in.tar", town_files())), "--force")

    async def meanwhile(*options: str) -> Result:
        database = open_database(url)
        await database.connect()
        try:
            await database.fetch_value("SELECT 1 FROM houses")
            return await asyncio.to_thread(call, *archive, *options)
        finally:
            await database.close()

    reported = refused(asyncio.run(meanwhile()))
    assert reported.endswith("is in use: stop the service first. --in-use imports anyway")
    said(asyncio.run(meanwhile("--in-use")))
    said(call(*archive))


@pytest.mark.usefixtures("cached")
def test_an_import_purges_cdns(call: Call, tmp_path: Path) -> None:
    said(call("import", "-f", str(write_archive(tmp_path / "in.tar", town_files())), "--force"))
    assert purges(call) == [["all"]]


@pytest.mark.usefixtures("cached")
@pytest.mark.parametrize("call", ["sqlite"], indirect=True)
def test_a_copy_purges_cdns(
    call: Call, project: Path, tmp_path: Path, postgresql_server: PostgresqlServer, postgresql_url: str
) -> None:
    said(call("db", "upgrade"))
    source, back = f"sqlite:///{project / '.octavo/data.db'}", tmp_path / "back.db"
    said(call("db", "copy", source, postgresql_url))
    asked = "SELECT payload FROM octavo_outbox ORDER BY id"
    assert postgresql_server.run_sql(database_name(postgresql_url), asked) == '{"tags":["all"]}\n'
    said(call("db", "copy", postgresql_url, f"sqlite:///{back}"))
    with closing(apsw.Connection(str(back))) as connection:
        assert connection.execute(asked).fetchall() == [('{"tags":["all"]}',)] * 2


@pytest.mark.parametrize("call", ["sqlite"], indirect=True)
def test_a_password_is_not_shown(call: Call, project: Path) -> None:
    said(call("db", "upgrade"))
    source = f"sqlite:///{project / '.octavo/data.db'}"
    reported = refused(call("db", "copy", source, "postgresql://ann:geheim@127.0.0.1:1/x"))
    assert reported.startswith("The database cannot be reached")
    assert "geheim" not in reported
