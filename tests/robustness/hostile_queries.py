"""Hostile query strings: every parameter and operator on every attribute, valid and invalid."""

from collections.abc import Callable
from random import Random

from octavo.query.operators import OPERATORS
from octavo.schema.attributes import AnyAttribute, Scalar
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry
from tests.robustness.nasty import KEYS, encoded, text

Pair = tuple[list[str], str]
OPERATOR_NAMES = (*OPERATORS, "$and", "$or", "$not", "$nope", "$EQ")
TEXTS = ("a text", "another", "ünï", "news")


class QueryMaker:
    """Generates query strings for the definitions of a registry."""

    def __init__(self, registry: Registry, random: Random) -> None:
        self._registry = registry
        self._random = random

    def query(self, definition: Definition) -> bytes:
        """Return a query string for entries of a definition."""
        pairs = [pair for _ in range(self._random.randrange(1, 4)) for pair in self._parameter(definition)]
        return b"&".join(self._pair(keys, value) for keys, value in pairs)

    def _pair(self, keys: list[str], value: str) -> bytes:
        first, *rest = (encoded(self._random, key) for key in keys)
        opened, closed = self._random.choice(((b"[", b"]"), (b"[", b"]"), (b"%5B", b"%5D")))
        written = first + b"".join(opened + key + closed for key in rest)
        dice = self._random.random()
        if dice < 0.02:
            return written
        if dice < 0.04:
            return written.replace(closed, b"", 1) + b"=x"
        return written + b"=" + encoded(self._random, value)

    def _parameter(self, definition: Definition) -> list[Pair]:
        random = self._random
        makers: tuple[Callable[[Definition], list[Pair]], ...] = (
            self._filters,
            self._filters,
            self._sort,
            self._fields,
            self._populate,
            self._populate,
            self._page,
            self._other,
        )
        return random.choice(makers)(definition)

    def _name(self, definition: Definition) -> str:
        names = [*definition.attributes, "id"]
        return self._random.choice(names) if self._random.random() < 0.95 else self._random.choice(KEYS)

    def names(self, definition: Definition | None) -> list[str]:
        """Return a path of names along relations and components."""
        names: list[str] = []
        for _ in range(self._random.randrange(1, 5)):
            if definition is None:
                break
            names.append(self._name(definition))
            attribute = definition.attributes.get(names[-1])
            if attribute is None:
                break
            definition = self._registry.target(attribute)
        return names

    def _filters(self, definition: Definition) -> list[Pair]:
        random = self._random
        keys = ["filters"]
        for _ in range(random.choice((0, 0, 0, 1, 1, 2, 30))):
            keys += random.choice((["$and", "0"], ["$or", "0"], ["$not"], ["$or", ""], ["$and", "x"], ["$or", "101"]))
        keys += self.names(definition)
        operator = random.choice(OPERATOR_NAMES)
        if random.random() < 0.85:
            keys.append(operator)
        if random.random() < 0.12:
            keys.append(random.choice(KEYS))
        amount = random.choice((1, 1, 1, 2, 2, 3, 101)) if operator in ("$in", "$notIn", "$between", "$or") else 1
        if amount == 1 and random.random() < 0.8:
            return [(keys, self._value())]
        return [([*keys, random.choice(("", str(position)))], self._value()) for position in range(amount)]

    def _value(self) -> str:
        return text(self._random) if self._random.random() < 0.8 else str(self._random.choice(TEXTS))

    def _sort(self, definition: Definition) -> list[Pair]:
        random = self._random
        names = self.names(definition)
        direction = random.choice(("asc", "desc", "ASC", "", "up", text(random)))
        forms: tuple[Pair, ...] = (
            (["sort"], ".".join(names) + ":" + direction),
            (["sort"], ",".join(".".join(self.names(definition)) for _ in range(random.choice((2, 3, 60))))),
            (["sort", random.choice(("0", "", "5"))], ".".join(names)),
            (["sort", *names], direction),
            (["sort", "0", *names], direction),
            (["sort"], text(random)),
        )
        return [random.choice(forms)]

    def _fields(self, definition: Definition) -> list[Pair]:
        random = self._random
        keys = ["fields", *random.choice(([], ["0"], ["0"], [""], [""], ["x"]))]
        names = [*definition.attributes, "*", "id"]
        return [(keys, random.choice(names) if random.random() < 0.9 else text(random))]

    def _populate(self, definition: Definition) -> list[Pair]:
        random = self._random
        dice = random.random()
        if dice < 0.35:
            value = random.choice(("*", ".".join(self.names(definition)), text(random), "a.b.c.d.e.f" * 20))
            return [(["populate", *random.choice(([], ["0"], [""]))], value)]
        keys = ["populate"]
        reached: Definition | None = definition
        for _ in range(random.choice((1, 1, 2, 3, 12))):
            if reached is None:
                break
            name = self._name(reached)
            keys += [name, "populate"]
            attribute = reached.attributes.get(name)
            reached = self._below(keys, attribute) if attribute is not None else None
        keys.pop()
        return self._populated(keys, reached or definition)

    def _below(self, keys: list[str], attribute: AnyAttribute) -> Definition | None:
        target = self._registry.target(attribute)
        if target is not None or isinstance(attribute, Scalar):
            return target
        chosen = self._random.choice((*self._registry.components.values(), *self._registry.content_types.values()))
        keys[-1:] = ["on", chosen.uid, "populate"]
        return chosen

    def _populated(self, keys: list[str], definition: Definition) -> list[Pair]:
        random = self._random
        dice = random.random()
        if dice < 0.2:
            return [(keys, random.choice(("*", "true", "false", "0", "", text(random))))]
        if dice < 0.35:
            return [([*keys, "count"], random.choice(("true", "1", "false", text(random))))]
        if dice < 0.45:
            return [([*keys, random.choice(("on", "publicationState", "locale", "_q"))], text(random))]
        if dice < 0.5:
            return [([*keys, *(["populate", "*"] * 12)], "*")]
        return [([*keys, *below], value) for below, value in self._parameter(definition)]

    def _page(self, definition: Definition) -> list[Pair]:
        names = ("page", "pageSize", "start", "limit", "withCount", text(self._random))
        outer = [] if self._random.random() < 0.15 else ["pagination"]
        return [([*outer, self._random.choice(names)], text(self._random)) for _ in range(self._random.randrange(1, 3))]

    def _other(self, definition: Definition) -> list[Pair]:
        names = ("_q", "_q", "locale", "locale", "publicationState", "where", "lookup", "select", "orderBy", *KEYS)
        keys = [self._random.choice(names), *self._random.choice(([], [], [], ["0"], ["$eq"], [text(self._random)]))]
        return [(keys, text(self._random))]
