"""Names become columns, tables and UIDs as in v4."""

import pytest

from octavo.schema.naming import component_uid, content_type_uid, kebab_case, singular_of, snake_case, words


@pytest.mark.parametrize(
    "name, column",
    [
        ("title", "title"),
        ("bigViews", "big_views"),
        ("SEOTitle", "seo_title"),
        ("HTMLToPDF", "html_to_pdf"),
        ("iOS", "i_os"),
        ("ALLCAPS", "allcaps"),
        ("ABc", "a_bc"),
        ("AB2c", "ab_2_c"),
        ("a1b2C3", "a_1_b_2_c_3"),
        ("h1Title", "h_1_title"),
        ("utf8Name", "utf_8_name"),
        ("UTF8BOM", "utf_8_bom"),
        ("version2", "version_2"),
        ("3dModel", "3_d_model"),
        ("point2D", "point_2_d"),
        ("isOK2go", "is_ok_2_go"),
        ("2ndLine", "2nd_line"),
        ("1stPrize", "1st_prize"),
        ("22ndStreet", "22nd_street"),
        ("11thHour", "11_th_hour"),
        ("faqAnswer1st", "faq_answer_1st"),
        ("2NDж", "2nd_ж"),
        ("address-line2", "address_line_2"),
        ("mixed-Dash_under", "mixed_dash_under"),
        ("double__under", "double_under"),
        ("_leading", "leading"),
        ("trailing_", "trailing"),
        ("_42", "42"),
        ("with space.and$signs", "with_space_and_signs"),
        ("it's", "its"),
        ("naïve", "naive"),
        ("größe", "grosse"),
        ("Ærø", "aero"),
        ("Łódź", "lodz"),
        ("ŉ", "n"),
        ("日本", "日本"),
        ("日本Title", "日本_title"),
        ("Жук2", "жук_2"),
        ("price€", "price€"),
        ("a—b", "a_b"),
        ("½", ""),
        ("like👍it", "like_👍_it"),
        ("👍🏽up", "👍🏽_up"),
        ("🇩🇪flag", "🇩🇪_flag"),
        ("_", ""),
    ],
)
def test_snake_case(name: str, column: str) -> None:
    assert snake_case(name) == column


def test_words_keep_their_case() -> None:
    assert words("theSEOTitle of-2ndPage") == ["the", "SEO", "Title", "of", "2nd", "Page"]


@pytest.mark.parametrize(
    "folder, part",
    [
        ("article", "article"),
        ("blog-post", "blog-post"),
        ("page2", "page2"),
        ("page-2-x", "page-2-x"),
        ("blogPost", "blog-post"),
        ("blog_post", "blog-post"),
        ("Auto2", "auto-2"),
        ("v2_page", "v-2-page"),
        ("2nd-page", "2nd-page"),
        ("1a", "1-a"),
        ("a--b", "a-b"),
        ("données", "donnees"),
        ("spaced name", "spaced-name"),
    ],
)
def test_kebab_case(folder: str, part: str) -> None:
    assert kebab_case(folder) == part


def test_uids() -> None:
    assert content_type_uid("Blog_Posts", "blog-post") == "api::blog-posts.blog-post"
    assert component_uid("Big-Cat", "someThing") == "big-cat.something"
    assert component_uid("under_cat", "naïve name") == "under_cat.naïve name"
    assert [singular_of(uid) for uid in ("api::a.article", "shared.seo")] == ["article", "seo"]
