"""Requests in the source of front ends: calls, arguments through functions and files, unknown parts, and documents."""

import json
from pathlib import Path
from typing import Any

import pytest

from octavo.operations.runtime.definitions import project_registry
from octavo.settings import load_settings
from octavo.v4.frontends import files, reading
from octavo.v4.frontends.reading import FrontendRequests, read_frontend
from octavo.v4.frontends.requests import Api, Need, NotReadable
from tests.cli.projects import make_project, write_type

ARTICLE = "api::article.article"
ARTICLE_TYPE: dict[str, Any] = {
    "kind": "collectionType",
    "collectionName": "articles",
    "info": {"singularName": "article", "pluralName": "articles", "displayName": "Article"},
    "pluginOptions": {"i18n": {"localized": True}},
    "attributes": {
        "title": {"type": "string"},
        "slug": {"type": "uid"},
        "secret": {"type": "string", "private": True},
        "author": {"type": "relation", "relation": "manyToOne", "target": "api::author.author"},
    },
}
AUTHOR_TYPE: dict[str, Any] = {
    "kind": "collectionType",
    "collectionName": "authors",
    "info": {"singularName": "author", "pluralName": "authors", "displayName": "Author"},
    "attributes": {"name": {"type": "string"}},
}
HOME_TYPE: dict[str, Any] = {
    "kind": "singleType",
    "collectionName": "homes",
    "info": {"singularName": "home", "pluralName": "homes", "displayName": "Home"},
    "attributes": {"claim": {"type": "string"}},
}
SAMPLES = {
    Need(ARTICLE, "slug"): "first-one",
    Need(ARTICLE, "title"): "A & B",
    Need(ARTICLE, "id"): 7,
    Need(ARTICLE, "locale"): "de",
    Need("api::author.author", "name"): "Ann",
    Need("api::author.author", "id"): 3,
}


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Api:
    project = make_project(tmp_path_factory.mktemp("project"))
    for definition in (ARTICLE_TYPE, AUTHOR_TYPE, HOME_TYPE):
        write_type(project, definition)
    settings = load_settings(project, {}, require_secrets=False)
    return Api(project_registry(settings), "/api", "/graphql")


def read(api: Api, folder: Path, **texts: str) -> FrontendRequests:
    for name, text in texts.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return read_frontend(folder, api)


def targets(found: FrontendRequests) -> list[str]:
    requests = [form.request(SAMPLES) for form in found.forms]
    return [f"{one.method} {one.target}" for one in requests]


CALLS = {
    "a literal": ("fetch('http://localhost:1337/api/articles?populate=*')", "/api/articles?populate=*"),
    "a variable with a fallback": (
        "const url = process.env.API || 'https://cms.example.org';\nfetch(`${url}/api/articles/${params.slug}`)",
        "/api/articles/first-one",
    ),
    "an unknown id": ("fetch(process.env.API + '/api/articles/' + route.params.id)", "/api/articles/7"),
    "a base with the prefix": ("fetch(`${process.env.API}/home`)", "/api/home"),
    "a local file is none": ("fetch('/data/articles.json'); fetch('/api/preview')", ""),
    "another host is none": ("fetch('https://api.example.org/v1/articles')", ""),
    "qs": (
        "import qs from 'qs';\nconst filters = { slug: { $eq: slug }, author: { name: { $in: [name, 'Bob'] } } };\n"
        "const query = qs.stringify({ filters, sort: ['title:asc'], populate: { author: true }, draft: undefined });\n"
        "fetch(`${base}/api/articles?${query}`)",
        "/api/articles?filters[slug][$eq]=first-one&filters[author][name][$in][0]=Ann&filters[author][name][$in][1]=Bob"
        "&sort[0]=title:asc&populate[author]=true",
    ),
    "unknown parameters are left out": (
        "fetch(`${base}/api/articles?sort=${order}&locale=${locale}&filters[secret]=${key}&populate=${x}&_q=a`)",
        "/api/articles?locale=de&_q=a",
    ),
    "pages": (
        "fetch(`${base}/api/articles?pagination[page]=${page}&pagination[pageSize]=${size}`)",
        "/api/articles?pagination[page]=1&pagination[pageSize]=10",
    ),
    "values are encoded": (
        "fetch(`${base}/api/articles?filters[title]=${title}&filters[slug]=a b`)",
        "/api/articles?filters[title]=A%20%26%20B&filters[slug]=a%20b",
    ),
    "a relation by id": (
        "fetch(`${base}/api/articles?filters[author]=${author}&filters[author][id]=${id}`)",
        "/api/articles?filters[author]=3&filters[author][id]=3",
    ),
    "axios": (
        "import axios from 'axios';\nconst client = axios.create({ baseURL: `${base}/api/` });\n"
        "client.get('/articles', { params: { populate: 'author', locale: 'en' } })",
        "/api/articles?populate=author&locale=en",
    ),
    "URL objects": (
        "const url = new URL('/api/articles', base);\nurl.searchParams.set('sort', 'title');\n"
        "url.searchParams.append('populate', '*');\nfetch(url.href)",
        "/api/articles?sort=title&populate=*",
    ),
    "URLSearchParams": (
        "const query = new URLSearchParams({ sort: 'title' });\nquery.append('locale', 'en');\n"
        "fetch(`${base}/api/articles?${query}`)",
        "/api/articles?sort=title&locale=en",
    ),
    "a text that grows": (
        "async function load(name) {\n  let url = `${base}/api/articles?populate=author`;\n"
        "  if (name) { url += `&filters[author][name]=${name}`; }\n  url = `${url}&locale=en`;\n"
        "  return fetch(url);\n}",
        "/api/articles?populate=author&filters[author][name]=Ann&locale=en",
    ),
    "an object that grows": (
        "const query = { populate: '*' };\nif (q) { query.filters = { title: { $contains: 'a' } }; }\n"
        "strapi.find('articles', query)",
        "/api/articles?populate=*&filters[title][$contains]=a",
    ),
    "branches": (
        "fetch(`${base}/api/articles${preview ? '?publicationState=preview' : ''}`)",
        "/api/articles?publicationState=preview",
    ),
    "strapi-sdk-js": (
        "import Strapi from 'strapi-sdk-js';\nconst cms = new Strapi({ url: base });\n"
        "cms.findOne('articles', id, { populate: ['author'] })",
        "/api/articles/7?populate[0]=author",
    ),
    "@nuxtjs/strapi": (
        "const { find, findOne } = useStrapi();\n"
        "const x = await useAsyncData('a', () => findOne('articles', { locale: 'en' }))",
        "/api/articles?locale=en",
    ),
    "$strapi": ("this.$strapi.find('authors')", "/api/authors"),
    "a function of a package": ("useApi(`${base}/api/articles/${id}?populate=*`)", "/api/articles/7?populate=*"),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls(name: str, api: Api, tmp_path: Path) -> None:
    text, wanted = CALLS[name]
    found = read(api, tmp_path, **{"src/a.ts": text})
    assert targets(found) == ([f"GET {wanted}"] if wanted else [])
    assert found.unread == []


HELPERS = """
import qs from 'qs';
import { getUrl } from './urls';
export default async function fetchAPI(path, params = {}, options = {}) {
  const query = qs.stringify(params);
  return fetch(getUrl(`/api${path}${query ? `?${query}` : ''}`), { method: 'GET', ...options });
}
"""


ODD = {
    "surrogates": ("fetch(`/api/articles?_q=\\ud83d\\ude00`)", "/api/articles?_q=%F0%9F%98%80"),
    "half a pair": ("fetch(`/api/articles?_q=\\ud83d`)", "/api/articles?_q=%EF%BF%BD"),
    "a key": ("fetch(`${b}/api/articles`, {params: {'\\ud83d': 1}})", "/api/articles?%EF%BF%BD=1"),
    "a number": ("fetch(`/api/articles?_q=${0x" + "f" * 300 + "}`)", "/api/articles"),
    "an index": ("const l = ['a'];\nfetch(`/api/articles?_q=${l['\u00b2']}`)", "/api/articles"),
    "another host": ("fetch('https://api.stripe.com/api/charges?key=sk_live_abc')", ""),
    "a host of the service": ("fetch('https://cms.example.org/api/charges')", "/api/charges"),
    "a type": ("fetch('https://other.example.org/api/articles')", "/api/articles"),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_values_and_other_hosts(name: str, api: Api, tmp_path: Path) -> None:
    source, target = ODD[name]
    known = Api(api.registry, api.prefix, api.graphql, frozenset({"cms.example.org"}))
    found = read(known, tmp_path, **{"a.js": source})
    assert targets(found) == ([f"GET {target}"] if target else [])
    assert "sk_live" not in str(found.unread)
    assert bool(found.unread) == (not target)


def test_names_that_are_not_utf_8_are_printable(api: Api, tmp_path: Path) -> None:
    found = read(api, tmp_path, **{"caf\udce9.js": "fetch(next.url)"})
    assert found.unread == ["caf\ufffd.js:1: the URL is unknown"]


def test_arguments_are_followed_through_functions_and_files(api: Api, tmp_path: Path) -> None:
    found = read(
        api,
        tmp_path,
        **{
            "src/lib/fetch-api.js": HELPERS,
            "src/lib/urls.js": "export const getUrl = (path = '') => `${process.env.URL || 'http://localhost:1337'}${path}`;",
            "src/app/page.tsx": "import load from '@/lib/fetch-api';\n\n"
            "export const Page = ({ params: { slug } }) => <A b={load('/articles', { filters: { slug } })} />;",
            "src/app/home.jsx": "import load from '../lib/fetch-api';\nconst get = async (name) => load(`/${name}`);\n"
            "get('home');\nget('authors');\nload('/articles', { data: 1 }, { method: 'POST' });",
        },
    )
    assert [(form.place, target) for form, target in zip(found.forms, targets(found), strict=True)] == [
        ("src/app/home.jsx:3", "GET /api/home"),
        ("src/app/home.jsx:4", "GET /api/authors"),
        ("src/app/home.jsx:5", "POST /api/articles?data=1"),
        ("src/app/page.tsx:3", "GET /api/articles?filters[slug]=first-one"),
    ]
    assert found.unread == []


def test_components_are_read_by_their_scripts(api: Api, tmp_path: Path) -> None:
    found = read(
        api,
        tmp_path,
        **{
            "pages/[slug].vue": '<template>\n  <a :b="find(\'x\')"/>\n</template>\n<script setup lang="ts">\n'
            "const { find } = useStrapi<A>()\nconst { slug } = useRoute().params\n"
            "find('articles', { filters: { slug } })\n"
            "</script>",
            "routes/b.svelte": "<script>\n  const a = fetch(`${base}/api/home`)\n</script>\n{#await a}{/await}",
            "pages/c.astro": "---\nconst a = await fetch(`${base}/api/authors`)\n---\n<p>{a}</p>",
            "node_modules/a/index.js": "fetch(`${base}/api/authors?sort=name`)",
            "cms/package.json": '{"dependencies": {"@strapi/strapi": "4.26.2"}}',
            "cms/src/a.js": "fetch(`${base}/api/authors?sort=name`)",
        },
    )
    assert [(form.place, target) for form, target in zip(found.forms, targets(found), strict=True)] == [
        ("pages/[slug].vue:7", "GET /api/articles?filters[slug]=first-one"),
        ("pages/c.astro:2", "GET /api/authors"),
        ("routes/b.svelte:2", "GET /api/home"),
    ]


def test_documents_get_their_fragments_and_variables(api: Api, tmp_path: Path) -> None:
    found = read(
        api,
        tmp_path,
        **{
            "a.graphql": "fragment Name on AuthorEntity { attributes { name } }",
            "b.ts": "const PART = gql`fragment Part on ArticleEntity { id }`;\nexport const Q = gql`${PART}\n"
            "query Page($slug: String!, $locale: I18NLocaleCode, $limit: Int = 5) {\n"
            "articles(filters: { slug: { eq: $slug } }, locale: $locale, pagination: { limit: $limit }) {\n"
            "data { ...Part attributes { author { data { ...Name } } } } } }`;",
            "c.js": "const q = /* GraphQL */ `query One($id: ID!) { article(id: $id) { data { id } } }`;\n"
            "const w = `mutation { deleteArticle(id: 1) { data { id } } }`;\n"
            "const u = gql`query { articles(sort: $what) { ...Missing } }`;\n"
            "const v = `query A($x: String!) { articles(sort: [$x]) { data { id } } }`;",
        },
    )
    page, one, write, unknown = found.forms
    body = json.loads(page.request(SAMPLES).body)
    assert body["variables"] == {"slug": "first-one", "locale": "de"}
    assert [body["query"].count(f"fragment {name} on") for name in ("Part", "Name")] == [1, 1]
    assert (page.place, one.place) == ("b.ts:2", "c.js:1")
    assert json.loads(one.request(SAMPLES).body)["variables"] == {"id": "7"}
    assert "mutation" in write.document
    with pytest.raises(NotReadable, match=r"the value of the variable \$x is unknown"):
        unknown.request(SAMPLES)
    assert found.unread == ["c.js:3: the GraphQL fragment Missing is unknown"]


UNREAD = {
    "the URL is unknown": "fetch(next.url)",
    "the name of the content type is unknown": "fetch(`${base}/api/${type}?sort=id`)",
    "a part of the path is unknown": "fetch(`${base}/api/articles/by-${name}`)",
    "a part of the path is unknown, and its route is not one of a content type": "fetch(`${base}/api/sale/${id}`)",
    "the method of the request is unknown": "fetch(`${base}/api/articles`, { method: form.method })",
    "syntax error near this line": "const a = ;",
}


@pytest.mark.parametrize("reason", UNREAD)
def test_unreadable_requests_are_listed(reason: str, api: Api, tmp_path: Path) -> None:
    found = read(api, tmp_path, **{"a.js": f"\n{UNREAD[reason]}"})
    assert (found.forms, found.unread) == ([], [f"a.js:2: {reason}"])


def test_all_work_is_bounded(api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = "export const f = (a) => f(`${a}${a}`) + f(a) + g(a, a);\nexport const g = (a, b) => f(g(b, a) + f(a));\n"
    text = "".join(f"fetch(`${{base}}/api/articles?sort=${{f('a{number}')}}&page={number}`);\n" for number in range(3))
    nested = "const a0 = {x: 1};\n" + "".join(f"const a{n} = {{l: a{n - 1}, r: a{n - 1}}};\n" for n in range(1, 40))
    texts = {"a.js": deep + text, "b.js": f"{nested}\nstrapi.find('articles', a39)", "c.js": "fetch('" + "(" * 2_000}
    found = read(api, tmp_path, **texts)
    assert len(found.forms) == 4
    monkeypatch.setattr(reading, "MOST_FORMS", 2)
    monkeypatch.setattr(files, "MOST_FILES", 2)
    found = read_frontend(tmp_path, api)
    assert len(found.forms) == 2
    assert found.unread[0] == "c.js: this file and later ones exceed the limit of 2 files and 32 MB"
    assert found.unread[-1].startswith("more than 2 requests")
    monkeypatch.setattr(files, "_MOST_ENTRIES", 2)
    cut = files.read_sources(tmp_path).unread
    assert cut == [".: this folder and later ones exceed the limit of 2 files and folders"]
