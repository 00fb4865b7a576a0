"""Steps in which a new version of the project or of Octavo is deployed, or a backup is restored."""

import asyncio
import json
import shutil
import signal
from pathlib import Path
from typing import Any

import httpx

from benchmarks.drill.site import NotRun, Site, get
from benchmarks.drill.steps import Outcome, Steps
from tests.cli.processes import free_port
from tests.cli.projects import write_type
from tests.cluster import programs
from tests.cluster.press import ARTICLE, article_with, write_press
from tests.cluster.programs import until
from tests.cluster.proxies import write_nginx
from tests.postgresql_server import database_name

STEPS = Steps()
ALL = "populate=*&publicationState=preview&pagination[pageSize]=100"
CLEANUP_SECONDS = 65.0
"""Octavo drops indexes that no definition declares at a start, or a minute later."""


@STEPS.add(
    "Old and new version side by side",
    "no request fails; a restart of the old version keeps the new column, its values and its index",
)
async def serve_two_versions(site: Site, outcome: Outcome) -> None:
    old, new = site.nodes
    definition = article_with(subtitle={"type": "string", "required": True, "default": "-", "unique": False})
    definition["pluginOptions"] = {**ARTICLE["pluginOptions"], "octavo": {"indexes": [["reads"]]}}
    before = _indexes(site)
    with site.load.window() as window:
        await _deploy(site, new, definition)
        await until(lambda: len(_indexes(site)) > len(before))
        indexes = _indexes(site)
        site.sql("UPDATE articles SET subtitle = 'kept' WHERE id = 1")
        await site.restart(old)
        outcome.expect(_indexes(site) == indexes, "the start of the old version changed the indexes")
        outcome.expect(site.sql("SELECT subtitle FROM articles WHERE id = 1").strip() == "kept", "a value is lost")
        await asyncio.sleep(CLEANUP_SECONDS)
        outcome.expect(_indexes(site) == indexes, "the old version dropped an index while the new one runs")
        await site.restart(new)
        await site.restart(old)
        await until(lambda: _indexes(site) == indexes)
        await _deploy(site, old, definition)
        await site.load.settle()
    outcome.measured += [f"{len(indexes)} indexes of articles", window.summary()]
    outcome.surprises += window.other_than(200)


@STEPS.add(
    "Schema change that conflicts with rows",
    "`octavo db diff --check` fails, counts the rows and names three ids; a start reports them and changes nothing",
)
async def deploy_conflicting_rules(site: Site, outcome: Outcome) -> None:
    ids = [site.cluster.create("tags", name="twice") for _ in range(4)]
    report = f"4 rows (ids {', '.join(map(str, ids[:3]))}, ...)"
    project = write_press(site.folder / "conflicts", cron=False)
    tag = json.loads((project / "src/api/tag/content-types/tag/schema.json").read_text("utf-8"))
    tag["attributes"]["name"]["unique"] = True
    write_type(project, tag)
    before = site.sql("SELECT count(*) FROM tags")
    code, output = await site.octavo("db", "diff", "--check", project=project)
    outcome.measured.append(f"exit code {code}")
    outcome.expect(code != 0, "`octavo db diff --check` succeeded")
    outcome.expect(report in output, f"`octavo db diff` does not report {report}: {output}")
    node = site.new_node("conflicts", project)
    node.start()
    await asyncio.to_thread(node.wait)
    log = node.log.read_text("utf-8")
    await asyncio.to_thread(node.end, signal.SIGTERM)
    outcome.expect(report in log, f"the start does not report {report}")
    outcome.expect(site.sql("SELECT count(*) FROM tags") == before, "rows were changed")


@STEPS.add(
    "Restore of a backup on another database",
    "the restored site gives the same responses as the site had at the backup",
)
async def restore_elsewhere(site: Site, outcome: Outcome) -> None:
    file = site.folder / "site.backup"
    last = int(site.sql("SELECT min(id) + 99 FROM articles WHERE reads > 0 AND id > 1"))
    path = (
        f"/api/articles?sort=id&filters[id][$lte]={last}&populate=*&publicationState=preview&pagination[pageSize]=100"
    )
    here = (await get(site.nodes[0], path, site.cluster.headers)).json()["data"]
    code, output = await site.octavo("db", "backup", str(file))
    outcome.expect(code == 0, f"backup: {output}")
    url = site.server.create_database()
    project = write_press(site.folder / "restored", cron=False)
    _copy_definitions(site, project)
    variables = {"DATABASE_NAME": database_name(url)}
    code, output = await site.octavo("db", "restore", str(file), "--yes", project=project, **variables)
    outcome.expect(code == 0, f"restore: {output}")
    outcome.measured.append(f"{_count(site, database_name(url))} articles restored")
    node = site.new_node("restored", project, **variables)
    node.start()
    await asyncio.to_thread(node.wait)
    there = await get(node, path, site.cluster.headers)
    outcome.expect(there.status_code == 200 and there.json()["data"] == here, "the responses differ")
    await asyncio.to_thread(node.end, signal.SIGTERM)


@STEPS.add("Below a path", "the pages and the API answer below /cms, whether nginx keeps the path or strips it")
async def serve_below_a_path(site: Site, outcome: Outcome) -> None:
    for kind, slash in (("kept", ""), ("stripped", "/")):
        variables = {"OCTAVO_SERVER__URL": "https://example.org/cms", "OCTAVO_SERVER__URL_PATH": kind}
        node = site.new_node(kind, site.nodes[0].project, **variables)
        node.start()
        await asyncio.to_thread(node.wait)
        folder, port = site.folder / kind, free_port()
        folder.mkdir()
        location = f"location /cms/ {{ proxy_pass http://127.0.0.1:{node.port}{slash}; }}"
        file, options = write_nginx(folder, f"server {{ listen 127.0.0.1:{port}; {location} }}\n")
        with programs.running(site.nginx, *options, file, port=port, log=folder / "log"):
            async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", headers=site.cluster.headers) as client:
                for path in ("/cms/api/tags", "/cms/admin", "/cms/admin/init", "/cms/_health"):
                    answer = await client.get(path)
                    outcome.expect(answer.is_success, f"{kind}: {path} returned {answer.status_code}")
                page = (await client.get("/cms/admin")).text
        outcome.expect("/cms/admin/" in page, f"{kind}: the addresses of the admin page do not have the path")
        await asyncio.to_thread(node.end, signal.SIGTERM)
    outcome.measured.append("8 addresses")


@STEPS.add("Upgrade and rollback of Octavo", "no request fails while the earlier version and this one take turns")
async def upgrade_and_roll_back(site: Site, outcome: Outcome) -> None:
    if site.previous is None:
        raise NotRun("no earlier version given (--previous)")
    with site.load.window() as window:
        for command in (site.previous, None, site.previous, None):
            for node in site.nodes:
                await asyncio.to_thread(node.end, signal.SIGTERM)
                node.start(octavo=command)
                await asyncio.to_thread(node.wait)
        await site.load.settle()
    outcome.measured.append(window.summary())
    outcome.surprises += window.other_than(200)


async def _deploy(site: Site, node: Any, definition: dict[str, Any]) -> None:
    write_type(node.project, definition)
    await site.restart(node)


def _indexes(site: Site) -> set[str]:
    return set(site.sql("SELECT indexname FROM pg_indexes WHERE tablename = 'articles'").split())


def _count(site: Site, database: str) -> int:
    return int(site.server.run_sql(database, "SELECT count(*) FROM articles"))


def _copy_definitions(site: Site, project: Path) -> None:
    shutil.copytree(site.nodes[0].project / "src", project / "src", dirs_exist_ok=True)
