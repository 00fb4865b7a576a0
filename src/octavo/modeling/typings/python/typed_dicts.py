"""TypedDicts as text: a class where every key can be the name of an attribute, a call of TypedDict otherwise."""

import json
import keyword
from collections.abc import Iterable, Iterator

Members = Iterable[tuple[str, str]]


def typed_dict(name: str, members: Members, *, told: str = "", total: bool = True) -> Iterator[str]:
    """The lines of one, and an empty one behind them."""
    listed = list(members)
    if all(_can_be_attribute(key) for key, _ in listed):
        yield f"class {name}(TypedDict{'' if total else ', total=False'}):"
        if told:
            yield f'    """{told}"""'
            yield ""
        yield from (f"    {key}: {text}" for key, text in listed)
        if not listed and not told:
            yield "    pass"
    else:
        yield f"{name} = TypedDict("
        yield f"    {quoted(name)},"
        yield "    {"
        yield from (f"        {quoted(key)}: {quoted(text)}," for key, text in listed)
        yield "    },"
        yield from () if total else ("    total=False,",)
        yield ")"
        if told:
            yield f'"""{told}"""'
    yield ""


def alias(name: str, text: str) -> str:
    """Another name for a type that is written out."""
    return f"{name} = {text}\n"


def quoted(text: str) -> str:
    """A text as Python writes it."""
    return json.dumps(text, ensure_ascii=False) if text.isprintable() else repr(text)


def _can_be_attribute(key: str) -> bool:
    is_mangled = key.startswith("__") and not key.endswith("__")
    return key.isidentifier() and not keyword.iskeyword(key) and not is_mangled and key.isascii()
