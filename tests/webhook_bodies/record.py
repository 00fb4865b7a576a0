"""Record v4's webhook bodies: `python -m tests.webhook_bodies.record`.

    record.py PANEL BASE PORT

PANEL is the script that runs v4 with its admin API, BASE the folder of its packages. It writes `reference.json` and
`reference-relations.json` (`webhooks.populateRelations` is true) next to this file.
"""

import json
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from octavo.events.webhooks.webhook import EVENTS
from tests.http_services import Answer, Asked, serving
from tests.webhook_bodies.cases import files
from tests.webhook_bodies.collected import run

_SEED = """
module.exports = async ({ strapi }) => {
  const locales = strapi.plugin('i18n').service('locales');
  if (!(await locales.findByCode('de'))) await locales.create({ code: 'de', name: 'German (de)' });
  const role = await strapi.query('plugin::users-permissions.role').findOne({ where: { type: 'public' } });
  const actions = ['plugin::upload.content-api.upload', 'plugin::upload.content-api.destroy',
    'plugin::users-permissions.user.create', 'plugin::users-permissions.user.update',
    'plugin::users-permissions.user.destroy', 'plugin::users-permissions.auth.register'];
  for (const uid of Object.keys(strapi.contentTypes).filter((uid) => uid.startsWith('api::')))
    for (const action of ['find', 'findOne', 'create', 'update', 'delete', 'createLocalization'])
      actions.push(`${uid}.${action}`);
  for (const action of actions) {
    const data = { action, role: role.id };
    const known = await strapi.query('plugin::users-permissions.permission').findOne({ where: data });
    if (!known) await strapi.query('plugin::users-permissions.permission').create({ data });
  }
  await strapi.query('plugin::users-permissions.user').deleteMany({});
  const store = strapi.store({ type: 'plugin', name: 'users-permissions', key: 'advanced' });
  await store.set({ value: { ...(await store.get()), email_confirmation: false } });
};
"""
_ADMIN = {"firstname": "A", "lastname": "B", "email": "admin@example.org", "password": "Secret123"}
_QUIET_SECONDS = 0.3


class _Reference:
    def __init__(self, port: int) -> None:
        self._port = port

    def send(self, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> tuple[int, Any]:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self._port}{path}", body or None, dict(headers), method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            text = error.read()
            return error.code, json.loads(text) if text.startswith(b"{") else text.decode()

    def json(self, method: str, path: str, body: Any, token: str | None = None) -> Any:
        headers = {"Content-Type": "application/json"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        status, answer = self.send(method, path, json.dumps(body).encode(), headers)
        assert status < 300, (path, status, answer)
        return answer

    def wait(self, running: "subprocess.Popen[bytes]") -> None:
        for _ in range(600):
            assert running.poll() is None, "it has ended"
            try:
                if self.send("GET", "/api/authors", b"", {})[0] == 200:
                    return
            except OSError:
                pass
            time.sleep(0.5)
        raise SystemExit("it does not start")


def _collector(received: list[Any]) -> Any:
    def collect() -> list[Any]:
        before = -1
        while before != len(received):
            before = len(received)
            time.sleep(_QUIET_SECONDS)
        found = received[:]
        received.clear()
        return found

    return collect


def record(panel: str, base: str, port: int, relations: bool) -> dict[str, Any]:
    name = f"bodies{port}"
    with tempfile.TemporaryDirectory() as folder:
        for path, raw in files().items():
            target = Path(folder, "tree", path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(json.dumps(raw))
        seed = Path(folder, "seed.js")
        seed.write_text(_SEED)
        subprocess.run([sys.executable, panel, "app", base, name, "--schemas", str(Path(folder, "tree"))], check=True)
        config = Path(base, name, "config/server.js")
        config.write_text(
            config.read_text().replace("populateRelations: false", f"populateRelations: {str(relations).lower()}")
        )
        start = [sys.executable, panel, "start", base, name, "--port", str(port), "--no-panel"]
        start += ["--sqlite", str(Path(folder, "data.db")), "--seed", str(seed)]
        received: list[Any] = []

        def answer(asked: Asked) -> Answer:
            received.append(json.loads(asked.body))
            return Answer()

        with Path(folder, "log").open("wb") as log, serving(answer) as url:
            running = subprocess.Popen(start, stdout=log, stderr=log)
            try:
                reference = _Reference(port)
                reference.wait(running)
                token = reference.json("POST", "/admin/register-admin", _ADMIN)["data"]["token"]
                hook = {"name": "all", "url": url, "headers": {}, "events": EVENTS}
                reference.json("POST", "/admin/webhooks", hook, token)
                return run(reference.send, token, _collector(received))
            finally:
                running.terminate()
                running.wait()


def main(panel: str, base: str, port: str) -> None:
    for name, relations in (("reference", False), ("reference-relations", True)):
        found = record(panel, base, int(port), relations)
        target = Path(__file__).with_name(f"{name}.json")
        target.write_text(json.dumps(found, indent=1, ensure_ascii=False, sort_keys=True) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
