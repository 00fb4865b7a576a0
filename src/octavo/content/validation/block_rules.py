"""Rules for `blocks` values: the node types of the rich text editor.

Messages and type conversions are Strapi's.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from octavo.content.input_path import InputPath
from octavo.content.validation.scalar_rules import cast_number
from octavo.core.errors import Problem
from octavo.core.forms.printing import MISSING, type_message
from octavo.core.values import dataclass

_URL = re.compile(r"/|[A-Za-z][A-Za-z0-9+.-]*:(?!/*$)\S")
_MARKS = ("bold", "italic", "underline", "strikethrough", "code")
_LEVELS = (1, 2, 3, 4, 5, 6)
_FORMATS = ("ordered", "unordered")
_IMAGE_PARTS = ("name", "url", "width", "height", "formats", "hash", "ext", "mime", "size", "provider")
_IMAGE_TIMES = ("createdAt", "updatedAt")
MAX_DEPTH = 50


@dataclass(slots=True)
class BlockChecker:
    """Checks nodes and collects their problems; every check returns the converted value."""

    problems: list[Problem] = field(default_factory=list)

    def note(self, trail: InputPath, message: str) -> None:
        self.problems.append(trail.problem(message))

    def blocks(self, nodes: list[Any], trail: InputPath) -> list[Any]:
        return [
            self._one_of(_BLOCKS, node, trail.item(i), "Block node is of invalid type") for i, node in enumerate(nodes)
        ]

    def _one_of(self, kinds: "Mapping[str, NodeCheck]", node: Any, trail: InputPath, message: str) -> Any:
        kind = node.get("type") if isinstance(node, Mapping) else None
        check = kinds.get(kind) if isinstance(kind, str) else None
        if check is None or len(trail.path) > MAX_DEPTH:
            self.note(trail, message)
            return node
        return check(self, dict(node), trail)

    def _children(
        self, kinds: "Mapping[str, NodeCheck]", node: dict[str, Any], trail: InputPath, words: "Words"
    ) -> Any:
        inside = trail.child("children")
        children = node.get("children", MISSING)
        if children is MISSING:
            self.note(inside, f"{inside.label} is a required field")
            return node
        if not isinstance(children, list):
            given = MISSING if children is None else children
            self.note(inside, type_message(inside.label, "array", None, given))
            return node
        if not children and words.empty:
            self.note(inside, words.empty)
        node["children"] = [
            self._one_of(kinds, child, inside.item(index), words.wrong) for index, child in enumerate(children)
        ]
        return node

    def paragraph(self, node: dict[str, Any], trail: InputPath) -> Any:
        return self._children(_INLINE, node, trail, _PARAGRAPH_WORDS)

    def inline_parent(self, node: dict[str, Any], trail: InputPath) -> Any:
        return self._children(_INLINE, node, trail, _INLINE_WORDS)

    def heading(self, node: dict[str, Any], trail: InputPath) -> Any:
        inside = trail.child("level")
        given = node.get("level", MISSING)
        if given is MISSING:
            self.note(inside, f"{inside.label} is a required field")
            return self.inline_parent(node, trail)
        level = cast_number(given)
        if math.isnan(level):
            self.note(inside, type_message(inside.label, "number", level, MISSING if given is None else given))
        if level not in _LEVELS:
            choices = ", ".join(map(str, _LEVELS))
            self.note(inside, f"{inside.label} must be one of the following values: {choices}")
        else:
            node["level"] = int(level)
        return self.inline_parent(node, trail)

    def list(self, node: dict[str, Any], trail: InputPath) -> Any:
        inside = trail.child("format")
        kind = node.get("format", MISSING)
        if kind is MISSING:
            self.note(inside, f"{inside.label} is a required field")
        elif kind not in _FORMATS:
            if kind is None or isinstance(kind, Mapping):
                self.note(inside, type_message(inside.label, "string", kind))
            self.note(inside, f"{inside.label} must be one of the following values: {', '.join(_FORMATS)}")
        return self._children(_LIST_PARTS, node, trail, _LIST_WORDS)

    def image(self, node: dict[str, Any], trail: InputPath) -> Any:
        inside = trail.child("image")
        image = node.get("image", {})
        if not isinstance(image, Mapping):
            self.note(inside, type_message(inside.label, "object", None, MISSING if image is None else image))
            return node
        for name in (*_IMAGE_PARTS, *_IMAGE_TIMES):
            if image.get(name) is None:
                part = inside.child(name)
                self.note(part, f"{part.label} is a required field")
        if "children" not in node:
            part = trail.child("children")
            self.note(part, f"{part.label} is a required field")
        return node

    def text(self, node: dict[str, Any], trail: InputPath) -> Any:
        inside = trail.child("text")
        text = node.get("text", MISSING)
        if text is MISSING:
            self.note(inside, "Text must be defined with at least an empty string")
        elif text is None or isinstance(text, Mapping | list):
            self.note(inside, type_message(inside.label, "string", text))
        elif not isinstance(text, str):
            node["text"] = str(text).lower() if isinstance(text, bool) else str(text)
        for mark in _MARKS:
            if mark in node and not isinstance(node[mark], bool):
                part = trail.child(mark)
                self.note(part, type_message(part.label, "boolean", node[mark]))
        return node

    def link(self, node: dict[str, Any], trail: InputPath) -> Any:
        url = node.get("url")
        if not isinstance(url, str) or not _URL.match(url):
            self.note(trail.child("url"), "Please specify a valid link.")
        inside = trail.child("children")
        children = node.get("children", MISSING)
        if children is MISSING:
            self.note(inside, f"{inside.label} is a required field")
        elif not isinstance(children, list):
            self.note(inside, type_message(inside.label, "array", None, MISSING if children is None else children))
        else:
            node["children"] = [self._link_text(child, inside.item(i)) for i, child in enumerate(children)]
        return node

    def _link_text(self, child: Any, trail: InputPath) -> Any:
        """Check a child of a link, which must be a text node."""
        if not isinstance(child, Mapping):
            self.note(trail, type_message(trail.label, "object", None, MISSING if child is None else child))
            return child
        if child.get("type") != "text":
            inside = trail.child("type")
            self.note(inside, f"{inside.label} must be one of the following values: text")
        return self.text(dict(child), trail)


NodeCheck = Callable[[BlockChecker, dict[str, Any], InputPath], Any]


@dataclass(frozen=True, slots=True)
class Words:
    """The messages for children of the wrong type, and for missing children."""

    wrong: str
    empty: str = ""


_INLINE_WORDS = Words("Inline node must be Text or Link")
_PARAGRAPH_WORDS = Words(
    "Inline node must be Text or Link", "Paragraph node children must have at least one Text or Link node"
)
_LIST_WORDS = Words(
    "Inline node must be list-item or list", "List node children must have at least one ListItem or ListNode"
)
_INLINE: dict[str, NodeCheck] = {"text": BlockChecker.text, "link": BlockChecker.link}
_LIST_PARTS: dict[str, NodeCheck] = {"list-item": BlockChecker.inline_parent, "list": BlockChecker.list}
_BLOCKS: dict[str, NodeCheck] = {
    "paragraph": BlockChecker.paragraph,
    "heading": BlockChecker.heading,
    "quote": BlockChecker.inline_parent,
    "code": BlockChecker.inline_parent,
    "list": BlockChecker.list,
    "image": BlockChecker.image,
}


def check_blocks(nodes: list[Any], trail: InputPath) -> tuple[list[Any], tuple[Problem, ...]]:
    """Return the converted nodes and their problems."""
    checker = BlockChecker()
    cast = checker.blocks(nodes, trail)
    return cast, tuple(checker.problems)
