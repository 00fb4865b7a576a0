"""Random texts of v4's block editor: every kind of node and mark, and unknown ones."""

import random
from typing import Any

MARKS = ("bold", "italic", "underline", "strikethrough", "code")
WORDS = (
    "All",
    "change",
    "at",
    "Orrel",
    "Junction,",
    "Zürich",
    "<b>not bold</b>",
    "夜行",
    "a  b",
    "line\nline",
    "&amp;",
)
UNKNOWN = {"type": "poll", "question": "Which?", "children": [{"type": "text", "text": "kept"}]}


def text(source: random.Random) -> dict[str, Any]:
    found: dict[str, Any] = {"type": "text", "text": " ".join(source.choices(WORDS, k=source.randint(1, 4)))}
    found |= {mark: True for mark in MARKS if source.random() < 0.2}
    return found


def link(source: random.Random) -> dict[str, Any]:
    url = source.choice(("https://example.org/a?b=c", "/about", "javascript:window.hacked=1", "mailto:a@example.org"))
    return {"type": "link", "url": url, "children": [text(source) for _ in range(source.randint(1, 2))]}


def inline(source: random.Random) -> list[dict[str, Any]]:
    """Return inline nodes as Slate requires: a text before, between and after links."""
    found = [text(source)]
    for _ in range(source.randint(0, 2)):
        found += [link(source), source.choice((text(source), {"type": "text", "text": ""}))]
    return source.choice((found, found, [{"type": "text", "text": ""}]))


def listed(source: random.Random, level: int = 0) -> dict[str, Any]:
    children: list[dict[str, Any]] = [{"type": "list-item", "children": inline(source)}]
    for _ in range(source.randint(0, 3)):
        nested = level < 3 and source.random() < 0.3
        children.append(listed(source, level + 1) if nested else {"type": "list-item", "children": inline(source)})
    depth = {"indentLevel": level} if level else {}
    return {"type": "list", "format": source.choice(("ordered", "unordered")), **depth, "children": children}


def block(source: random.Random) -> dict[str, Any]:
    kind = source.choice(("paragraph", "heading", "quote", "code", "list", "image"))
    match kind:
        case "list":
            return listed(source)
        case "heading":
            return {"type": kind, "level": source.randint(1, 6), "children": inline(source)}
        case "image":
            empty = [{"type": "text", "text": ""}]
            return {"type": kind, "image": picture(source), "children": empty}
    return {"type": kind, "children": inline(source)}


def picture(source: random.Random) -> dict[str, Any]:
    return {
        "name": "x.png",
        "alternativeText": source.choice((None, '"><script>window.hacked=1</script>')),
        "url": "/icon.svg",
        "caption": None,
        "width": 10,
        "height": 10,
        "formats": {},
        "hash": "x",
        "ext": ".png",
        "mime": "image/png",
        "size": 0.1,
        "previewUrl": None,
        "provider": "local",
        "createdAt": "2024-01-01T00:00:00.000Z",
        "updatedAt": "2024-01-01T00:00:00.000Z",
    }
