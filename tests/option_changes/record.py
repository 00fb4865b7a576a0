"""Record v4's entries after changes of their type's options: `python -m tests.option_changes.record`.

    record.py PEER BASE PORT FILE [POSTGRES_URL]

PEER is the script that runs v4, BASE the folder of its packages, FILE the output.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from tests.option_changes.cases import CASES, READS, Raw, files_of, read_path, simplify

_SEED = """
module.exports = async ({ strapi }) => {
  const locales = strapi.plugin('i18n').service('locales');
  if (!(await locales.findByCode('de'))) await locales.create({ code: 'de', name: 'German (de)' });
  const role = await strapi.query('plugin::users-permissions.role').findOne({ where: { type: 'public' } });
  for (const uid of Object.keys(strapi.contentTypes).filter((uid) => uid.startsWith('api::')))
    for (const action of ['find', 'findOne', 'create', 'update', 'createLocalization']) {
      const data = { action: `${uid}.${action}`, role: role.id };
      const known = await strapi.query('plugin::users-permissions.permission').findOne({ where: data });
      if (!known) await strapi.query('plugin::users-permissions.permission').create({ data });
    }
};
"""


def _request(port: int, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    data = None if body is None else json.dumps(body).encode()
    made = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}", data, {"Content-Type": "application/json"}, method=method
    )
    try:
        with urllib.request.urlopen(made, timeout=60) as answer:
            return answer.status, json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read() or b"null")


def _send(port: int, raw: Raw, rows: tuple[Raw, ...], made: list[int]) -> None:
    for row in rows:
        row = dict(row)
        name = raw["info"]["pluralName"]
        if raw["kind"] == "singleType":
            name = raw["info"]["singularName"]
            locale = row.pop("locale", None)
            path = f"/api/{name}" + ("" if locale is None else "/localizations")
            method = "PUT" if locale is None else "POST"
            status, answer = _request(
                port, method, path, {"data": row} if locale is None else {**row, "locale": locale}
            )
        elif "of" in row:
            entry = made[row.pop("of") - 1]
            status, answer = _request(port, "POST", f"/api/{name}/{entry}/localizations", row)
        else:
            status, answer = _request(port, "POST", f"/api/{name}", {"data": row})
        assert status == 200, (name, row, status, answer)
        made.append((answer.get("data") or answer)["id"])


def main(peer: str, base: str, port: int, file: str, postgres: str | None = None) -> None:
    found: dict[str, Any] = {case.name: {} for case in CASES}
    made: dict[str, list[int]] = {case.name: [] for case in CASES}
    with tempfile.TemporaryDirectory() as folder:
        seed = Path(folder, "seed.js")
        seed.write_text(_SEED)
        for number, phase in enumerate(("before", "after", "before")):
            tree = Path(folder, f"tree{number}")
            for name, raw in files_of(phase).items():
                target = tree / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(json.dumps(raw))
            app = [sys.executable, peer, "app", base, f"options{port}", "--schemas", str(tree)]
            subprocess.run(app, check=True)
            where = ["--postgres", postgres] if postgres else ["--sqlite", str(Path(folder, "data.db"))]
            start = [
                sys.executable,
                peer,
                "start",
                base,
                f"options{port}",
                "--port",
                str(port),
                "--seed",
                str(seed),
                *where,
            ]
            with Path(f"{file}.log").open("a") as log:
                running = subprocess.Popen(start, stdout=log, stderr=log)
            try:
                _wait(port, running)
                for case in CASES:
                    raw = getattr(case, phase)
                    if raw is None:
                        continue
                    if number == 0:
                        _send(port, raw, case.rows, made[case.name])
                    reported = found[case.name][("before", "after", "again")[number]] = {}
                    for read in READS:
                        status, answer = _request(port, "GET", read_path(raw, read))
                        reported[read.name] = simplify(answer) if status == 200 else status
                    if number == 1:
                        _send(port, raw, case.later, made[case.name])
            finally:
                running.terminate()
                running.wait()
    Path(file).write_text(json.dumps(found, indent=1, ensure_ascii=False, sort_keys=True) + "\n")


def _wait(port: int, running: "subprocess.Popen[bytes]") -> None:
    for _ in range(600):
        assert running.poll() is None, "it has ended"
        try:
            if _request(port, "GET", "/api/authors")[0] == 200:
                return
        except OSError:
            pass
        time.sleep(0.5)
    raise SystemExit("it does not start")


if __name__ == "__main__":
    os.environ.setdefault("STRAPI_DISABLE_UPDATE_NOTIFICATION", "true")
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], *sys.argv[5:])
