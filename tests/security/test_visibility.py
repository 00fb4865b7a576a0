"""Names and visibility, promises 1 to 7: hidden values cannot be filtered, sorted, counted or searched."""

from typing import Any

import pytest

from tests.robustness.sites import HIDDEN, MARK
from tests.security.conftest import DRAFT, Blog

# Hidden attributes of articles. Requests for them get the same error, whether a guess is right or wrong.
SECRETS = ("secretNote", "editPassword", "secret_note", "edit_password", "created_by_id", "publishedBy", "__proto__x")
PLACES_OF_ATTRIBUTES = (
    "articles?filters[{}][$startsWith]=o",
    "articles?filters[{}]=x",
    "articles?filters[{}][$null]=true",
    "articles?filters[$and][0][$or][0][$not][{}][$contains]=o",
    "articles?filters[author][articles][{}][$gt]=a",
    "articles?filters[related][relatedFrom][{}][$in][0]=a",
    "articles?filters[categories][articles][{}][$ne]=a",
    "articles?filters[links][target][{}][$startsWith]=o",
    "articles?sort={}",
    "articles?sort[0]={}:desc",
    "articles?sort=title,{}",
    "articles?sort[author][articles][{}]=asc",
    "articles?sort=links.target.{}",
    "articles?fields={}",
    "articles?fields[0]=title&fields[1]={}",
    "articles/1?fields={}",
    "articles/1?filters[{}]=x",
    "authors?populate[articles][filters][{}][$startsWith]=o",
    "authors?populate[articles][sort]={}",
    "authors?populate[articles][fields]={}",
    "authors?populate[articles][count]=true&populate[articles][filters][{}][$startsWith]=o",
    "articles?populate[author][populate][articles][filters][{}][$startsWith]=o",
    "articles?populate[links][populate][target][filters][{}][$startsWith]=o",
    "articles?populate[blocks][on][shared.link][populate][target][filters][{}][$startsWith]=o",
    "articles?populate[blocks][on][shared.link][populate][target][sort]={}",
    "homepage?populate[featuredArticles][filters][{}][$startsWith]=o",
    "categories?filters[localizations][articles][{}][$startsWith]=o",
)


def refused_name(place: str, name: str) -> tuple[int, str]:
    return 400, f"Invalid parameter {name}"


@pytest.mark.parametrize("place", PLACES_OF_ATTRIBUTES)
def test_point_1_hidden_attributes_are_refused_everywhere(blog: Blog, place: str) -> None:
    for name in SECRETS:
        for who in ("public", "user", "full"):
            assert blog.get(f"/api/{place.format(name)}", who).refusal == refused_name(place, name), (name, who)


PLACES_OF_RELATIONS = (
    "filters[{}][id][$null]=true",
    "filters[{}][$null]=true",
    "filters[{}][id][$gt]=0",
    "filters[$not][{}][id][$notNull]=true",
    "filters[$or][0][{}]=1",
    "sort={}.id",
    "sort[{}][id]=asc",
    "fields={}",
)


@pytest.mark.parametrize("place", PLACES_OF_RELATIONS)
@pytest.mark.parametrize("path, relation", [("articles", "tags"), ("authors", "user"), ("events", "notesAbout")])
def test_point_1_forbidden_relations_are_refused_everywhere(blog: Blog, place: str, path: str, relation: str) -> None:
    assert blog.get(f"/api/{path}?{place.format(relation)}").refusal == refused_name(place, relation)


BEHIND_RELATIONS = (
    "articles?filters[author][user][email][$startsWith]=o",
    "articles?filters[author][user][resetPasswordToken][$notNull]=true",
    "articles?sort=author.user.email",
    "articles?populate[author][filters][user][email][$startsWith]=o",
    "articles?filters[cover][related][id]=1",
    "articles?filters[gallery][folder][name]=x",
    "articles?filters[cover][folderPath][$startsWith]=/",
    "articles?sort=cover.folderPath",
    "articles?filters[blocks][body]=x",
    "events?filters[subjects][id]=1",
    "events?filters[extras][body]=x",
    "events?filters[agenda][tags][label]=x",
    "events?filters[notesAbout][label][$startsWith]=o",
    "profiles?filters[author][user][password][$startsWith]=$2",
)


@pytest.mark.parametrize("place", BEHIND_RELATIONS)
def test_point_1_hidden_targets_cannot_be_compared(blog: Blog, place: str) -> None:
    status, message = blog.get(f"/api/{place}").refusal
    assert (status, message.startswith("Invalid parameter ")) == (400, True)


def test_point_1_a_filter_is_not_dropped_in_silence(safe_blog: Blog) -> None:
    """v4 drops unknown operators, and clients rely on it. New projects get an error."""
    for place in ("filters[title][$nope]=x", "filters[title][nope]=x", "filters[author][name][$EQ]=x"):
        assert safe_blog.get(f"/api/articles?{place}").status == 400
    for name in ("nope", "secretNote"):
        assert safe_blog.get(f"/api/articles?populate={name}").refusal == refused_name("", name)


@pytest.mark.parametrize(
    "parameters",
    [
        "where[secretNote][$startsWith]=zzz",
        "where=1",
        "lookup[id]=999",
        "select[0]=secretNote",
        "orderBy[secretNote]=desc",
        "having[id]=1",
        "groupBy=id",
        "offset=5",
        "_where[id]=999",
        "_limit=1",
        "_sort=secretNote:asc",
        "on[id]=1",
        "data[id]=1",
        "t0.secret_note=x",
        "filters.secretNote=x",
        "__proto__[filters][id]=999",
        "constructor[prototype][filters][id]=999",
    ],
)
def test_point_2_unknown_parameters_change_nothing(blog: Blog, parameters: str) -> None:
    assert blog.get(f"/api/articles?{parameters}").body == blog.get("/api/articles").body


@pytest.mark.parametrize("who", ["public", "user", "full"])
@pytest.mark.parametrize("path", ["articles", "events", "authors", "profiles"])
def test_point_3_hidden_attributes_are_not_searched(blog: Blog, path: str, who: str) -> None:
    for text in (MARK, MARK[:5], HIDDEN, "%24" + "2a"):
        assert blog.get(f"/api/{path}?_q={text}&publicationState=preview", who).data == []


def test_point_4_passwords_are_never_shown(blog: Blog) -> None:
    made = blog.post("/api/articles", {"title": "x", "editPassword": "a password", "secretNote": MARK})
    entry = f"/api/articles/{made.data['id']}"
    replies = (made, blog.get(f"{entry}?populate=*", "full"), blog.put(entry, {"editPassword": "other"}))
    for reply in (*replies, blog.send("DELETE", entry, "full", b"", {})):
        assert reply.status == 200
        assert b"assword" not in reply.body.replace(b"a password", b"assword")
        assert b"secretNote" not in reply.body


ARTICLE = {
    *("title", "slug", "summary", "body", "kind", "contactEmail", "rating", "price", "views", "bigViews", "featured"),
    *("eventDate", "eventTime", "eventAt", "extra", "createdAt", "updatedAt", "publishedAt"),
}
PUBLIC_RELATIONS = {
    *("cover", "gallery", "author", "categories", "related", "relatedFrom", "seo", "links", "blocks"),
    *("createdBy", "updatedBy"),
}


def test_point_5_responses_contain_only_selected_fields(blog: Blog) -> None:
    assert blog.get("/api/articles/1").data["attributes"].keys() == ARTICLE
    assert blog.get("/api/articles/1?populate=*").data["attributes"].keys() == ARTICLE | PUBLIC_RELATIONS
    assert blog.get("/api/articles/1?fields=title").data["attributes"].keys() == {"title"}
    assert blog.put("/api/articles/1", {}).data["attributes"].keys() == ARTICLE
    made = blog.post("/api/articles", {"title": "y", "unknown": 1, "secretNote": MARK})
    assert made.data["attributes"].keys() == ARTICLE


CREATOR = {"firstname", "lastname", "username", "preferedLanguage", "createdAt", "updatedAt"}


@pytest.mark.parametrize("who", ["public", "user", "full"])
def test_point_6_creators_show_little(blog: Blog, who: str) -> None:
    for populate in ("createdBy", "updatedBy", "*", "createdBy.roles", "createdBy.roles.users"):
        shown = blog.get(f"/api/articles/1?populate={populate}", who).data["attributes"]
        for name in {"createdBy", "updatedBy"} & shown.keys():
            assert shown[name]["data"]["attributes"].keys() <= CREATOR
    for name in ("email", "password", "resetPasswordToken", "registrationToken", "isActive", "blocked", "roles"):
        for place in (f"filters[createdBy][{name}][$notNull]=true", f"sort=createdBy.{name}"):
            assert blog.get(f"/api/articles?{place}", who).refusal == refused_name(place, name)
        nested = f"populate[createdBy][fields]={name}"
        assert blog.get(f"/api/articles?{nested}", who).refusal == refused_name(nested, name)


@pytest.mark.parametrize(
    "populate",
    [
        "tags",
        "tags.x",
        "*",
        "populate[tags]=*",
        "populate[tags][count]=true",
        "populate[tags][fields]=label",
        "populate[author][populate][user][fields]=email",
        "populate[author][populate]=*",
        "populate[createdBy][populate]=*",
        "populate[cover][populate]=*",
        "populate[cover][populate][related][populate]=*",
        "populate[gallery][populate][related][on][api::hidden-thing.hidden-thing]=*",
        "populate[gallery][populate][related][on][plugin::users-permissions.user]=*",
        "populate[gallery][populate][related][on][admin::user]=*",
    ],
)
def test_point_7_relations_that_may_not_be_read_are_absent(blog: Blog, populate: str) -> None:
    asked = populate if "=" in populate else f"populate={populate}"
    reply = blog.get(f"/api/articles?{asked}&pagination[pageSize]=100")
    assert reply.status == 200
    for word in (b'"tags"', b'"user"', HIDDEN.encode(), MARK.encode(), b'"password"', b'"roles"'):
        assert word not in reply.body


def test_point_7_links_that_may_not_be_read_are_not_written(blog: Blog) -> None:
    before = blog.site.run_sql("SELECT count(*) FROM authors_user_links")
    made = blog.post("/api/authors", {"name": f"Linked {blog.port}", "user": 1}, "user")
    assert made.status == 200
    assert blog.site.run_sql("SELECT count(*) FROM authors_user_links") == before
    assert blog.post("/api/authors", {"name": f"Linked by full {blog.port}", "user": 1}).status == 200
    assert blog.site.run_sql("SELECT count(*) FROM authors_user_links") != before


DRAFTS_COULD_SHOW = (
    "authors?populate=articles",
    "authors?populate[articles][publicationState]=live",
    "authors?populate[articles][sort]=title&populate[articles][fields]=title",
    "categories?populate=articles&locale=all",
    "categories?populate[localizations][populate]=articles&locale=all",
    "categories?populate[parent][populate]=articles",
    "articles?populate[author][populate]=articles",
    "articles?populate[categories][populate]=articles",
    "articles?populate[cover][populate]=related",
    "articles?populate[gallery][populate][related][on][api::article.article]=true",
    "articles?populate=related,relatedFrom,links.target,blocks.target",
    "homepage?populate[featuredArticles]=*",
    "events?populate=subjects,notesAbout",
    "articles?_q=unpublished",
)


@pytest.mark.parametrize("path", DRAFTS_COULD_SHOW)
def test_point_7_drafts_do_not_show_in_live_lists(blog: Blog, path: str) -> None:
    reply = blog.get(f"/api/{path}&pagination[pageSize]=100", "full")
    assert reply.status == 200
    assert DRAFT.encode() not in reply.body


@pytest.mark.parametrize("who", ["public", "full"])
def test_point_7_drafts_are_not_counted(blog: Blog, who: str) -> None:
    def count(query: str) -> Any:
        reply = blog.get(f"/api/authors?filters[id]=1&populate[articles]{query}", who)
        return reply.data[0]["attributes"]["articles"]["data"]

    live, counted = count("[fields]=title"), count("[count]=true")
    assert counted == {"attributes": {"count": len(live)}}
    assert count("[fields]=title&publicationState=preview") != live


def test_point_7_new_projects_keep_drafts_back_by_id_too(safe_blog: Blog) -> None:
    draft = int(safe_blog.site.run_sql(f"SELECT id FROM articles WHERE title = '{DRAFT}'")[0])
    assert safe_blog.get(f"/api/articles/{draft}", "full").status == 404
    for path in ("authors/1?populate=articles", "articles/1?populate[author][populate]=articles"):
        assert DRAFT.encode() not in safe_blog.get(f"/api/{path}", "full").body
