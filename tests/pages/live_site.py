"""A front end on another origin that shows drafts, with `octavo-preview.js`, as a project would write it."""

import json
import re
from dataclasses import dataclass, field
from html import escape
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

from tests.cli.processes import ROOT
from tests.http_services import Answer, Asked

COOKIE = "preview"
GUIDE = ROOT / "docs/guides/preview.md"
SCRIPT = ROOT / "src/octavo/api/admin/preview/octavo-preview.js"
HTML = {"Content-Type": "text/html; charset=utf-8"}
PAGE = """<!doctype html><title>Front end</title>
<body style="margin:0"><main data-octavo="type:api::article.article;id:{id}">
<h1 data-octavo="field:title" style="margin:0;font-size:40px">{title}</h1>
<p data-octavo="field:slug">{slug}</p>
<p data-octavo="type:api::category.category;id:1;field:name">Another entry</p>
<p id="shown">{shown}</p>
</main>
<script type="module">
  import {{ applyChange, connectPreview, updateText }} from "{octavo}/octavo-preview.js";
  const entry = {entry};
  const report = (given) => fetch("/reports", {{ method: "POST", body: JSON.stringify(given) }});
  const title = () => document.querySelector("h1").textContent;
  window.addEventListener("message", ({{ data }}) => data.forged && report({{ forged: title() }}));
  connectPreview({{ origin: "{octavo}", onChange: (change, before) => {{
    updateText(change, before);
    report({{ title: title(), change, applied: applyChange(entry, change) }});
  }} }});
</script>"""
FORGER = """<!doctype html><title>Another site</title><iframe src="{url}"></iframe><script>
  const heard = [];
  window.addEventListener("message", ({{ data }}) => heard.push(data));
  window.forge = () => {{
    const entry = {{ type: "api::article.article", id: {id}, locale: null, fields: {{ title: "Forged" }} }};
    const frame = document.querySelector("iframe").contentWindow;
    frame.postMessage({{ octavo: 1, type: "entry", entry }}, "*");
    frame.postMessage({{ forged: true }}, "*");
    return JSON.stringify(heard);
  }};
</script>"""


@dataclass
class LiveSite:
    """The front end. It records requests, and reports of its pages."""

    octavo: str = ""
    url: str = ""
    requests: list[Asked] = field(default_factory=list)
    reports: list[dict[str, Any]] = field(default_factory=list)
    refused: list[int] = field(default_factory=list)

    def answer(self, asked: Asked) -> Answer:
        if asked.path == "/reports":
            self.reports.append(json.loads(asked.body))
            return Answer(204)
        self.requests.append(asked)
        match asked.path.split("/"):
            case ["", "preview"]:
                return self._begin(asked)
            case ["", "articles", slug]:
                return self._article(slug, asked.headers.get("cookie", "").partition(f"{COOKIE}=")[2])
            case ["", "forger", number]:
                page = FORGER.format(url=f"{self.url}/open/{number}", id=number)
                return Answer(body=page.encode(), headers=HTML)
            case ["", "talk.html"]:
                return Answer(body=self._documented().encode(), headers=HTML)
            case ["", "octavo-preview.js"]:
                return Answer(body=SCRIPT.read_bytes(), headers={"Content-Type": "text/javascript"})
            case ["", "open", number]:
                attributes = {"title": "Untouched", "slug": "untouched", "publishedAt": None}
                return self._page({"id": int(number), "attributes": attributes})
        return Answer(404)

    def _documented(self) -> str:
        """Return the page in the guide, adapted to events."""
        blocks = re.findall(r"```html\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
        page = next(block for block in blocks if "startPreview" in block)
        return str(page).replace("https://cms.conference.example", self.octavo).replace("/api/talks", "/api/events")

    def _begin(self, asked: Asked) -> Answer:
        """Exchange the code, and redirect to the URL without it."""
        status, answer = self._ask("POST", "/octavo/preview-tokens", {"code": asked.query.get("code", "")})
        if status != 200:
            self.refused.append(status)
            return Answer(403, answer["error"]["message"].encode(), HTML)
        cookie = f"{COOKIE}={answer['data']['token']}; HttpOnly; Path=/"
        return Answer(303, headers={"Set-Cookie": cookie, "Location": f"/articles/{quote(asked.query['slug'])}"})

    def _article(self, slug: str, token: str) -> Answer:
        target = f"/api/articles?filters[slug][$eq]={quote(slug)}&publicationState=preview&populate=*"
        status, answer = self._ask("GET", target, token=token)
        if status != 200 or not answer["data"]:
            return Answer(404, b"<title>Front end</title>Not found", HTML)
        return self._page(answer["data"][0])

    def _page(self, entry: dict[str, Any]) -> Answer:
        title, slug = (escape(entry["attributes"][name]) for name in ("title", "slug"))
        shown = "a draft" if entry["attributes"]["publishedAt"] is None else "published"
        page = PAGE.format(
            id=entry["id"], title=title, slug=slug, shown=shown, octavo=self.octavo, entry=json.dumps(entry)
        )
        return Answer(body=page.encode(), headers=HTML)

    def _ask(self, method: str, target: str, body: Any = None, token: str = "") -> tuple[int, Any]:
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
        data = None if body is None else json.dumps(body).encode()
        try:
            with urlopen(Request(self.octavo + target, data, headers, method=method), timeout=60) as answer:
                return answer.status, json.loads(answer.read())
        except HTTPError as error:
            return error.code, json.loads(error.read())
