"""Read the requests of a front end: which calls send them, with which arguments, and what could not be read."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tree_sitter import Node

from octavo.core.values import dataclass
from octavo.v4.frontends.callers import Callers
from octavo.v4.frontends.calls import FoundCall, may_send, read_call
from octavo.v4.frontends.documents import forms_of, fragments_in, is_document, may_be_document, parse_document
from octavo.v4.frontends.evaluation import Evaluation
from octavo.v4.frontends.files import Sources, place_of, read_sources
from octavo.v4.frontends.requests import Api, NotReadable, RequestForm, form_of
from octavo.v4.frontends.values import Closure, Frame, NodeKey, Text, key_of_node
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.syntax import FUNCTIONS, arguments, walk

MOST_FORMS: Final = 5_000
MOST_UNREAD: Final = 500
_MOST_EVALUATIONS: Final = 20_000
_DEEPEST_CALLS: Final = 4
_INVALID: Final = (ValueError, OverflowError)
"""Errors of odd values, such as half a surrogate pair, which must not end the command."""
_WRITES: Final = ("POST", "PUT", "PATCH", "DELETE")


@dataclass(frozen=True, slots=True)
class FrontendRequests:
    """The requests of a front end, and what could not be read: `file:line` and the reason."""

    forms: list[RequestForm]
    unread: list[str]


@dataclass(frozen=True, slots=True)
class _Step:
    """A call through which a function is reached."""

    function: Closure
    call: Node
    module: Module


def read_frontend(folder: Path, api: Api) -> FrontendRequests:
    """Return the requests of the front end in a folder."""
    return _Reading(read_sources(folder), api).result()


class _Reading:
    def __init__(self, sources: Sources, api: Api) -> None:
        self._sources, self._api = sources, api
        self._evaluation = Evaluation(sources)
        self._callers = Callers(sources, self._evaluation)
        self._forms: dict[tuple[Any, ...], RequestForm] = {}
        self._unread = dict.fromkeys(sources.unread)
        self._read: set[NodeKey] = set()
        self._count = 0

    def result(self) -> FrontendRequests:
        for module in self._sources.modules.values():
            for node in walk(module.root):
                if node.type == "call_expression" and may_send(module, node):
                    self._read_call(node, module)
        self._read_texts()
        self._read_documents()
        if self._is_full:
            self._note("", f"more than {MOST_FORMS:,} requests, or too many calls; the others were not read")
        return FrontendRequests(list(self._forms.values()), list(self._unread)[:MOST_UNREAD])

    @property
    def _is_full(self) -> bool:
        return len(self._forms) >= MOST_FORMS or self._count >= _MOST_EVALUATIONS or self._evaluation.is_spent

    def _note(self, place: str, reason: str) -> None:
        if len(self._unread) < MOST_UNREAD:
            self._unread.setdefault(f"{place}: {reason}" if place else reason)

    def _add(self, form: RequestForm) -> None:
        self._forms.setdefault((form.method, form.path, form.parameters, form.document), form)

    def _read_call(self, node: Node, module: Module) -> None:
        try:
            for place, form in self._expanded(node, module, ()):
                if isinstance(form, NotReadable):
                    self._note(place, str(form))
                else:
                    self._add(form)
        except _INVALID:
            self._note(place_of(module, node.start_byte), "the call contains an invalid value")

    def _expanded(
        self, node: Node, module: Module, steps: tuple[_Step, ...]
    ) -> Iterator[tuple[str, RequestForm | NotReadable]]:
        """Yield the requests of a call: one for each call of the function around it, if it has arguments of that."""
        if self._is_full:
            return
        self._count += 1
        self._evaluation.begin()
        call = read_call(self._evaluation, node, module, self._frame(steps))
        opened, read = self._evaluation.open_functions, self._evaluation.read
        if call is None:
            return
        outer, outer_module = (steps[-1].call, steps[-1].module) if steps else (node, module)
        place = place_of(outer_module, outer.start_byte)
        function = _enclosing(outer, outer_module, opened, {step.function.key for step in steps})
        callers = self._callers.of(function) if function is not None and len(steps) < _DEEPEST_CALLS else []
        forms: list[tuple[str, RequestForm | NotReadable]] = []
        for caller, caller_module in callers:
            assert function is not None
            forms += self._expanded(node, module, (*steps, _Step(function, caller, caller_module)))
        if any(isinstance(form, RequestForm) for _, form in forms):
            self._read |= read
            yield from forms
            return
        own = self._form(call, place)
        if own is not None:
            self._read |= read
            is_worse = isinstance(own, NotReadable) and forms
            yield from forms if is_worse else [(place, own)]

    def _form(self, call: FoundCall, place: str) -> RequestForm | NotReadable | None:
        try:
            return form_of(call, self._api, place)
        except NotReadable as error:
            return error

    def _frame(self, steps: tuple[_Step, ...]) -> Frame:
        """Return the arguments of all functions on the way, from the outermost call on."""
        frame = Frame()
        for step in reversed(steps):
            given = tuple(self._evaluation.value(one, step.module, frame) for one in arguments(step.call))
            frame = frame.called(step.function, given)
        return frame

    def _read_texts(self) -> None:
        """Read the URLs that are given to functions of packages, which are in no call that was understood."""
        marker = f"{self._api.prefix}/".encode()
        for module in self._sources.modules.values():
            if marker not in module.source.text:
                continue
            for node in walk(module.root):
                is_text = node.type in ("string", "template_string") and marker in (node.text or b"")
                if is_text and key_of_node(module, node) not in self._read and not self._is_full:
                    self._read_text(_whole(node), module)

    def _read_text(self, node: Node, module: Module) -> None:
        self._count += 1
        self._evaluation.begin()
        if _is_import(node) or _is_for_write(node):
            return
        place = place_of(module, node.start_byte)
        try:
            url = self._evaluation.value(node, module, Frame())
            name = _resource(url, self._api.prefix)
            if name is None or not self._api.knows(name):
                return
            form = self._form(FoundCall("GET", url, None, isinstance(url, str) and url.startswith("/")), place)
        except _INVALID:
            self._note(place, "the text contains an invalid value")
            return
        if isinstance(form, RequestForm):
            self._add(form)

    def _read_documents(self) -> None:
        documents = []
        for place, text in self._documents():
            try:
                documents.append((place, parse_document(text)))
            except NotReadable as error:
                self._note(place, str(error))
        fragments = {name: one for _, document in documents for name, one in fragments_in(document).items()}
        for place, document in documents:
            try:
                for form in forms_of(document, fragments, self._api, place):
                    self._add(form)
            except NotReadable as error:
                self._note(place, str(error))

    def _documents(self) -> Iterator[tuple[str, str]]:
        yield from ((f"{name}:1", text) for name, text in self._sources.documents.items())
        for module in self._sources.modules.values():
            for node in walk(module.root):
                if node.type not in ("string", "template_string") or b"{" not in (node.text or b""):
                    continue
                raw = module.text(node)[1:-1]
                if self._evaluation.is_spent or not may_be_document(raw):
                    continue
                self._evaluation.begin()
                try:
                    text = self._evaluation.value(node, module, Frame())
                except _INVALID:
                    self._note(place_of(module, node.start_byte), "the GraphQL document contains an invalid value")
                    continue
                if isinstance(text, Text):
                    if is_document(raw):
                        self._note(place_of(module, node.start_byte), "a part of the GraphQL document is unknown")
                elif isinstance(text, str) and is_document(text):
                    yield place_of(module, node.start_byte), text


def _enclosing(node: Node, module: Module, opened: set[NodeKey], done: set[NodeKey]) -> Closure | None:
    """Return the innermost function around a node whose arguments are needed."""
    scope = node.parent
    while scope is not None:
        if scope.type in FUNCTIONS and (key := key_of_node(module, scope)) in opened and key not in done:
            return Closure(module, scope, Frame())
        scope = scope.parent
    return None


def _whole(node: Node) -> Node:
    """Return the whole concatenation that a text is part of."""
    while node.parent is not None and node.parent.type in ("binary_expression", "parenthesized_expression"):
        node = node.parent
    return node


def _is_import(node: Node) -> bool:
    return node.parent is not None and node.parent.type in ("import_statement", "export_statement", "literal_type")


def _is_for_write(node: Node) -> bool:
    """Return whether the call that gets a text also gets the name of a method that writes."""
    call = node.parent.parent if node.parent is not None and node.parent.type == "arguments" else None
    text = (call.text or b"").decode("utf-8", "replace").upper() if call is not None else ""
    return any(f"{quote}{method}{quote}" in text for method in _WRITES for quote in ("'", '"'))


def _resource(url: Any, prefix: str) -> str | None:
    text = "".join(part if isinstance(part, str) else "\0" for part in (url.parts if isinstance(url, Text) else (url,)))
    _, separator, rest = text.partition(f"{prefix}/")
    name = rest.split("/")[0].split("?")[0].split("#")[0]
    return name if separator and "\0" not in name else None
