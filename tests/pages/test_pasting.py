"""Paste into Markdown: text from web pages, Word and Google Docs keeps its structure, and images are uploaded."""

import json
from collections.abc import Iterator
from typing import Final

import pytest

from tests.cli.processes import Server, serving
from tests.pages.desk import Desk
from tests.pages.sample import FIRST, magazine
from tests.pages.test_texts import SCHEMA, enter, made, save, stored, write

TEXT: Final = "document.getElementById('field.text').shadowRoot.querySelector('.cm-content')"

WEB_PAGE: Final = """<html><body><!--StartFragment--><h2>A <em>fine</em>, <b>day</b>s</h2>
<p>See <a href="https://example.org/a b">the   page</a>, <a href="/there">there</a> and
<a href="javascript:alert(1)">here</a>.<br>Next line</p>
<ul><li>One<ul><li>Inner</li></ul></li><li><p>Two</p><p>More</p></li></ul>
<ol start="3"><li>Three</li><li>Four</li></ol>
<blockquote><p>Said</p><p>Twice</p></blockquote>
<pre><code>a = "`"
b</code></pre><hr>
<table><tr><th>Name</th><th>Size</th></tr><tr><td>a|b</td><td><b>1</b></td></tr></table>
<p><img src="https://example.org/x.png" alt="A [picture]"> <del>gone</del> <code>x_y</code></p>
<script>top.hacked = 1</script><!--EndFragment--></body></html>"""
WEB_PAGE_MARKDOWN: Final = """## A _fine_, **day**s

See [the page](<https://example.org/a b>), there and here.  \nNext line

- One
  - Inner
- Two

  More

3. Three
4. Four

> Said
>
> Twice

```
a = "`"
b
```

---

| Name | Size |
| --- | --- |
| a\\|b | **1** |

![A \\[picture\\]](https://example.org/x.png) ~~gone~~ `x_y`"""

GOOGLE_DOCS: Final = """<meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-1"><h1 dir="ltr">
<span style="font-weight:400;">Title</span></h1><p dir="ltr"><span style="font-weight:400;">Plain, </span><span
style="font-weight:700;">bold</span><span style="font-weight:700;"> still</span><span style="font-style:italic;">
leaning</span></p><ul><li dir="ltr"><p role="presentation"><span>One</span></p></li><ul><li dir="ltr"><p><span>Inner
</span></p></li></ul><li><p><span>Two</span></p></li></ul></b>"""
GOOGLE_DOCS_MARKDOWN: Final = """# Title

Plain, **bold still** _leaning_

- One
  - Inner
- Two"""

WORD: Final = """<html xmlns:o="urn:schemas-microsoft-com:office:office">
<head><style>p.MsoNormal {margin:0}</style></head><body>
<h1>Report<o:p></o:p></h1>
<p class=MsoNormal><b>Total:</b> 5 * 3 = 15 and snake_case<o:p></o:p></p>
<p class=MsoListParagraphCxSpFirst style='mso-list:l0 level1 lfo1'><![if !supportLists]><span><span
style='mso-list:Ignore'>&middot;<span>&nbsp;&nbsp; </span></span></span><![endif]>First<o:p></o:p></p>
<p class=MsoListParagraphCxSpMiddle style='mso-list:l0 level2 lfo1'><span style='mso-list:Ignore'>1.<span>&nbsp;
</span></span>Inner</p>
<p class=MsoListParagraphCxSpLast style='mso-list:l0 level1 lfo1'><span style='mso-list:Ignore'>&middot;</span>Last</p>
<p class=MsoNormal>1. Not a list</p></body></html>"""
WORD_MARKDOWN: Final = """# Report

**Total:** 5 \\* 3 = 15 and snake_case

- First
  1. Inner
- Last

1\\. Not a list"""

CODE: Final = '<div style="font-family: Menlo"><div><span style="color: #00f">const</span> a_b = 1;</div></div>'


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve the sample project with a content type for notes."""
    project = magazine(tmp_path_factory.mktemp("pasting"))
    schema = project / "src/api/note/content-types/note/schema.json"
    schema.parent.mkdir(parents=True)
    schema.write_text(json.dumps(SCHEMA))
    with serving("develop", project, **FIRST) as server:
        yield server


def paste(desk: Desk, html: str, text: str = "plain") -> None:
    """Paste as a browser does."""
    desk.do(
        f"""(() => {{
          const data = new DataTransfer();
          if ({json.dumps(html)}) data.setData('text/html', {json.dumps(html)});
          data.setData('text/plain', {json.dumps(text)});
          {TEXT}.dispatchEvent(new ClipboardEvent('paste', {{clipboardData: data, bubbles: true, cancelable: true}}));
        }})()"""
    )


@pytest.mark.parametrize(
    "html, markdown",
    [
        pytest.param(WEB_PAGE, WEB_PAGE_MARKDOWN, id="web page"),
        pytest.param(GOOGLE_DOCS, GOOGLE_DOCS_MARKDOWN, id="Google Docs"),
        pytest.param(WORD, WORD_MARKDOWN, id="Word"),
        pytest.param(CODE, "const a_b = 1;", id="code"),
        pytest.param("", "const a_b = 1;", id="plain text"),
        pytest.param("<p>a <b>b</b><b>c</b></p>", "a **bc**", id="one line"),
    ],
)
def test_pasted_text_becomes_markdown(desk: Desk, html: str, markdown: str) -> None:
    note = made(desk, title="Pasted")
    enter(desk, note, "text")
    paste(desk, html, "const a_b = 1;")
    save(desk)
    assert stored(desk, note)["text"] == markdown
    assert desk.do("window.hacked === undefined")


def test_blocks_are_pasted_between_paragraphs_and_undone_at_once(desk: Desk) -> None:
    note = made(desk, text="Before")
    enter(desk, note, "text")
    desk.press("End")
    paste(desk, "<h2>Title</h2><p>Text</p>")
    desk.press("z", control=True)
    paste(desk, "<h2>Title</h2><p>Text</p>")
    save(desk)
    assert stored(desk, note)["text"] == "Before\n\n## Title\n\nText"


def test_code_does_not_change(desk: Desk) -> None:
    note = made(desk, text="```\ncode")
    enter(desk, note, "text")
    desk.press("End", control=True)
    paste(desk, "<p><b>bold</b></p>", " bold")
    save(desk)
    assert stored(desk, note)["text"] == "```\ncode bold"


def test_a_url_over_a_selection_is_its_link(desk: Desk) -> None:
    note = made(desk, text="site")
    enter(desk, note, "text")
    desk.press("a", control=True)
    paste(desk, "", "https://example.org/")
    save(desk)
    assert stored(desk, note)["text"] == "[site](https://example.org/)"


def test_pasted_images_are_uploaded(desk: Desk) -> None:
    note = made(desk, title="With a picture")
    enter(desk, note, "text")
    write(desk, "Look: ")
    desk.do(
        f"""(async () => {{
          const canvas = Object.assign(document.createElement('canvas'), {{width: 8, height: 8}});
          const blob = await new Promise((done) => canvas.toBlob(done, 'image/png'));
          const data = new DataTransfer();
          data.items.add(new File([blob], 'pasted.png', {{type: 'image/png'}}));
          {TEXT}.dispatchEvent(new ClipboardEvent('paste', {{clipboardData: data, bubbles: true, cancelable: true}}));
        }})().then(() => 0)"""
    )
    desk.until(f"{TEXT}.innerText.includes('![pasted.png](')", "the image")
    save(desk)
    text = stored(desk, note)["text"]
    assert text.startswith("Look: ![pasted.png](/uploads/")
    files = desk.ask("GET", "/upload/files?filters[name][$eq]=pasted.png")["results"]
    assert [one["url"] in text for one in files] == [True]
