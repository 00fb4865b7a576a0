"""Link order: compute the order of a relation's targets after connects, moves and disconnects.

Runs in linear time.
"""

from collections.abc import Iterable, Iterator, Mapping

from octavo.content.input.relation_input import Connect, LinkChange, TargetId


class ConnectedTwice(Exception):
    """A target is connected at several positions."""

    def __init__(self, target: TargetId) -> None:
        super().__init__(target)
        self.target = target


class CircularAnchors(Exception):
    """Targets are positioned relative to each other in a cycle."""


class UnknownAnchor(Exception):
    """A target is positioned relative to one that is not linked."""

    def __init__(self, connect: Connect) -> None:
        super().__init__(connect.anchor)
        self.connect = connect


def place_targets(current: Iterable[int], change: LinkChange) -> list[int]:
    """Return the targets in order after a change. Raises ConnectedTwice, CircularAnchors, UnknownAnchor.

    A target that is connected again moves. Anchors connected in the same change are placed first.
    """
    if change.replaces is not None:
        return list(dict.fromkeys(int(target) for target in change.replaces if isinstance(target, int)))
    placed = _Row(target for target in current if target not in change.disconnects)
    waiting: dict[TargetId, Connect] = {}
    for connect in change.connects:
        if waiting.setdefault(connect.id, connect) is not connect:
            raise ConnectedTwice(connect.id)
    _check_anchors({connect.id: connect for connect in change.connects if connect.anchor not in placed})
    for connect in change.connects:
        for one in reversed(_with_anchors(connect, placed, waiting)):
            known = one.anchor is None or one.anchor in placed
            if change.strict or known:
                placed.put(one)
            else:
                placed.put(Connect(one.id))
    return list(placed)


def _check_anchors(floating: Mapping[TargetId, Connect]) -> None:
    """Follow anchors that are connected in the same change. Raises CircularAnchors."""
    sound: set[TargetId] = set()
    for connect in floating.values():
        seen = {connect.id}
        while connect.anchor is not None and connect.anchor in floating and connect.anchor not in sound:
            if connect.anchor in seen:
                raise CircularAnchors
            seen.add(connect.anchor)
            connect = floating[connect.anchor]
        sound |= seen


def _with_anchors(connect: Connect, placed: "_Row", waiting: dict[TargetId, Connect]) -> list[Connect]:
    """Remove a connect from `waiting`, with the anchors to place before it; return them, anchors last."""
    chain: list[Connect] = []
    while waiting.pop(connect.id, None) is not None and isinstance(connect.id, int):
        chain.append(connect)
        if connect.anchor is None or connect.anchor in placed or connect.anchor not in waiting:
            break
        connect = waiting[connect.anchor]
    return chain


class _Row:
    """A doubly linked list of targets. None is before the first and after the last one."""

    def __init__(self, targets: Iterable[int]) -> None:
        self._next: dict[TargetId | None, int | None] = {None: None}
        self._previous: dict[TargetId | None, int | None] = {None: None}
        for target in dict.fromkeys(targets):
            self._insert(target, self._previous[None])

    def __contains__(self, target: TargetId | None) -> bool:
        return target is not None and target in self._next

    def __iter__(self) -> Iterator[int]:
        target = self._next[None]
        while target is not None:
            yield target
            target = self._next[target]

    def put(self, connect: Connect) -> None:
        """Insert or move a target. Raises UnknownAnchor."""
        target, anchor = int(connect.id), connect.anchor
        if target in self and target != anchor:
            self._remove(target)
        if anchor is not None and (anchor not in self or anchor == target):
            raise UnknownAnchor(connect)
        beside = None if anchor is None else int(anchor)
        match connect.place:
            case "before":
                self._insert(target, self._previous[beside])
            case "after":
                self._insert(target, beside)
            case "start":
                self._insert(target, None)
            case _:
                self._insert(target, self._previous[None])

    def _insert(self, target: int, after: int | None) -> None:
        before = self._next[after]
        self._next[after] = self._previous[before] = target
        self._previous[target], self._next[target] = after, before

    def _remove(self, target: int) -> None:
        after, before = self._previous.pop(target), self._next.pop(target)
        self._next[after], self._previous[before] = before, after
