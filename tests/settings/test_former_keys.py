"""Settings of earlier releases are refused with their replacement."""

from pathlib import Path

import pytest

from octavo.settings import SettingsError, load_settings
from octavo.settings.keys import snake
from octavo.settings.model import TABLES
from octavo.settings.sources import FORMER_KEYS

NAMES = {f"{key.file}.{key.dotted}" for table in TABLES.values() for key in table.rows()}


def problems_of(project: Path, environment: dict[str, str]) -> list[str]:
    with pytest.raises(SettingsError) as refused:
        load_settings(project, {"DATABASE_URL": "sqlite:///x.db", **environment})
    return [str(problem) for problem in refused.value.problems]


def write(project: Path, file: str, text: str) -> None:
    (project / "config").mkdir(exist_ok=True)
    (project / "config" / f"{file}.toml").write_text(text, "utf-8")


def test_no_former_key_exists_and_all_new_ones_do() -> None:
    assert not NAMES & FORMER_KEYS.keys()
    assert {former.new for former in FORMER_KEYS.values() if former.new is not None} <= NAMES


@pytest.mark.parametrize("place", FORMER_KEYS)
def test_files_and_variables_with_a_former_key_are_refused(tmp_path: Path, place: str) -> None:
    file, *tables, name = place.split(".")
    write(tmp_path, file, f"[{'.'.join(tables)}]\n{snake(name)} = 1\n" if tables else f"{name} = 1\n")
    variable = "OCTAVO_" + place.replace(".", "__").upper()
    path = ".".join((*tables, snake(name) if tables else name))
    assert problems_of(tmp_path, {variable: "1"}) == [
        f"config/{file}.toml: {path}: {FORMER_KEYS[place].message}",
        f"{variable}: {FORMER_KEYS[place].message}",
    ]


def test_messages_say_what_to_do(tmp_path: Path) -> None:
    write(tmp_path, "api", "largestAnswer = '1 MB'\n[reads]\njoins = 5\n[events]\nheartbeat = '5s'\n")
    write(tmp_path, "middlewares", "[requests]\nreceiving = 5\nunsent = 5\n")
    assert problems_of(tmp_path, {"OCTAVO_DATABASE__BACKUPS__TIME_ZONE": "UTC"}) == [
        "config/api.toml: largestAnswer: was renamed to api.maxResponseSize",
        "config/api.toml: reads.joins: was merged into api.reads.maxCost, which also limits joins and the size of "
        "statements, in proportion",
        "config/api.toml: events.heartbeat: was removed; the value is always 15 seconds: delete the key",
        "config/middlewares.toml: requests.receiving: was removed; requests.concurrency also limits requests whose "
        "bodies are still arriving",
        "config/middlewares.toml: requests.unsent: was merged into middlewares.requests.bufferMemory, which limits "
        "arriving bodies and waiting responses separately",
        "OCTAVO_DATABASE__BACKUPS__TIME_ZONE: was renamed to server.jobs.timeZone; it applies to all schedules",
    ]


def test_times_in_milliseconds_can_have_a_unit(tmp_path: Path) -> None:
    write(tmp_path, "database", "statementTimeout = '2s'\nreplicaLag = 500\n[pool]\nacquireTimeout = '250ms'\n")
    database = load_settings(tmp_path, {}).database
    assert (database.statement_timeout, database.replica_lag, database.pool.acquire_timeout) == (2000, 500, 250)
