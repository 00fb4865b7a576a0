"""Whether a secret is one: not what templates and examples leave in its place, and not to be guessed.

The strength is an estimate, in bits: what the kinds of its characters allow for its length, and no more than their own
distribution does. Sixteen random bytes, which v4 makes, are well above the limit in any usual form.
"""

import re
from collections import Counter
from math import log2
from typing import Final

LEAST_BITS: Final = 64
_PLACEHOLDERS: Final = re.compile(
    r"to[-_ ]?be[-_ ]?modified\d*|(please[-_ ]?)?(change|replace)([-_ ]?(me|this|it)).*|<.*>|\{.*\}|\.{3,}|x{3,}|\*{3,}"
    r"|your[-_ ].*|(my|some|a|the|an)?[-_ ]?(super|very|top|long|random)?[-_ ]?(secret|password|key|salt|token|hash)\d*"
    r"|s3cr3t|test(ing)?|example|dev(elopment)?|strapi|octavo|default|todo|none|null|undefined",
    re.IGNORECASE,
)
_CLASSES: Final = ((re.compile("[0-9]"), 10), (re.compile("[a-z]"), 26), (re.compile("[A-Z]"), 26))
_OTHERS: Final = 32


def weakness(text: str) -> str | None:
    """What is wrong with a secret, if anything is; without the secret."""
    if is_placeholder(text):
        return "is what a template has in its place"
    bits = estimated_bits(text)
    if bits < LEAST_BITS:
        return f"could be guessed: about {bits:.0f} bits, at least {LEAST_BITS} are needed"
    return None


def is_placeholder(text: str) -> bool:
    """Whether a text stands where a secret is to be put."""
    return _PLACEHOLDERS.fullmatch(text.strip()) is not None


def estimated_bits(text: str) -> float:
    """How much there is to be guessed, at most."""
    if not text:
        return 0.0
    size = sum(size for pattern, size in _CLASSES if pattern.search(text))
    size += _OTHERS if re.search("[^0-9A-Za-z]", text) else 0
    length = len(text)
    spread = -sum(times / length * log2(times / length) for times in Counter(text).values())
    return length * min(log2(size), spread)
