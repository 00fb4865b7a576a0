"""Patterns of definitions: JavaScript semantics, and linear time."""

import json
from pathlib import Path

import pytest

from octavo.content.validation.regexes import compile_regex, is_regex


@pytest.mark.parametrize(
    "pattern, matching, other",
    [
        ("^https?://", "http://x", "ftp://x"),
        ("^[A-Z]{2}-[0-9]{3}$", "AZ-101", "AZ-1011"),
        ("a|b", "xb", "xc"),
        (r"\bfoo\b", "a foo b", "afoo"),
        (r"^[^\s@]+@[^\s@]+\.[^\s@]+$", "a@b.c", "a b@c.d"),
        (r"^(\+\d{1,3}[- ]?)?\d{10}$", "+49 1234567890", "+4912345678901234"),
        ("^.{2,4}$", "abc", "ab\n"),
        ("^(?:a|bc)*d?$", "abcad", "abcb"),
        (r"^[\w.\-]+$", "a-b.c", "é"),
        (r"^[a-z\d]+?$", "a1", "A"),
        ("^x{2,}$", "xxxx", "x"),
        (r"^\u00e9\x41\/$", "éA/", "eA/"),
        ("^(?<year>[0-9]{4})$", "2024", "24"),
        ("^(?!admin).+$", "user", "admin1"),
        (r"^(.)\1$", "aa", "ab"),
        ("^a$", "a", "a\n"),
    ],
)
def test_javascript_semantics(pattern: str, matching: str, other: str) -> None:
    search = compile_regex(pattern)
    assert (search(matching), search(other)) == (True, False)


@pytest.mark.parametrize("pattern", [r"^(a+)+$", r"^(a|aa)*$", r"^([a-zA-Z]+)*$", r"(x+x+)+y", r"^(.*?,){11}P"])
def test_time_is_linear_in_the_text(monkeypatch: pytest.MonkeyPatch, pattern: str) -> None:
    """RE2 runs in linear time by design; nothing needs backtracking."""
    monkeypatch.delattr("octavo.content.validation.regexes._backtracking")
    search = compile_regex(pattern)
    assert not search("a" * 20_000 + "!" if pattern.startswith("^") else "x" * 20_000)


@pytest.mark.parametrize("pattern", ["[", "(", "*a", "a)", "(?i)a", "a{2,1}", "\\", "(?<a>.)(?<a>.)"])
def test_an_invalid_pattern_refuses_every_text(pattern: str) -> None:
    assert not is_regex(pattern)
    assert not compile_regex(pattern)("anything")
    assert not compile_regex(pattern)("")


@pytest.mark.parametrize("file", ["javascript_regexes.json", "javascript_references.json"])
def test_patterns_mean_what_they_mean_in_javascript(file: str) -> None:
    """The files contain the results of Node.js 20: null for a pattern that it rejects."""
    recorded = json.loads((Path(__file__).parent / file).read_text(encoding="utf-8"))
    texts = recorded["texts"]
    for pattern, matching in recorded["patterns"].items():
        assert is_regex(pattern) == (matching is not None), pattern
        found = [number for number, text in enumerate(texts) if compile_regex(pattern)(text)]
        assert found == (matching or []), pattern


def test_slow_backtracking_is_stopped() -> None:
    """The second alternative would match; ruling out the first one takes minutes."""
    search = compile_regex(r"^(?=a)(?:(?:a|aa)+[cd]|a*b)$")
    assert search("a" * 10 + "b")
    assert not search("a" * 40 + "b")


@pytest.mark.parametrize(
    "pattern, matching, other",
    [
        (r"^\s$", "\u00a0", "\u200b"),
        (r"^[\s-]+$", " -\u3000", "x"),
        (r"^[^\S]$", "\t", "a"),
        (r"^[[a]+$", "[a", "b"),
        ("^.$", "\u0085", "\u2028"),
        (r"^\cA$", "\x01", "A"),
        ("^a{1,1500}$", "a" * 1200, "b"),
    ],
)
def test_javascript_only_syntax(pattern: str, matching: str, other: str) -> None:
    search = compile_regex(pattern)
    assert (search(matching), search(other)) == (True, False)
