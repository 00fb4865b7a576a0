"""Render the results as one HTML file without scripts, for light and dark displays."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from octavo.core.markup import escape
from octavo.core.plurals import counted
from octavo.operations.comparison.reasons import PRIVATE, REASONS
from octavo.operations.comparison.results import Group, Results, times_of

_STYLE: Final = """
:root { color-scheme: light dark; --line: #d9dce3; --soft: #f5f6f8; --quiet: #5c6370; --good: #18794e; --bad: #c62a2f; }
@media (prefers-color-scheme: dark) {
  :root { --line: #343840; --soft: #1d2026; --quiet: #9aa1ad; --good: #4cc38a; --bad: #ff8589; }
  body { background: #15171b; color: #e6e8ec; }
}
* { box-sizing: border-box; }
body { font: 15px/1.55 system-ui, sans-serif; margin: 0 auto; max-width: 68rem; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; } h2 { font-size: 1.15rem; margin: 2.5rem 0 .75rem; }
p { margin: .25rem 0 .75rem; } .quiet { color: var(--quiet); }
.verdict { font-weight: 600; } .good { color: var(--good); } .bad { color: var(--bad); }
.tiles { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); margin: 1.5rem 0; }
.tile { background: var(--soft); border: 1px solid var(--line); border-radius: .5rem; padding: .75rem 1rem; }
.tile b { display: block; font-size: 1.5rem; font-variant-numeric: tabular-nums; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: .4rem .75rem .4rem 0; text-align: left; vertical-align: top; }
th { color: var(--quiet); font-weight: 500; } td.number, th.number { text-align: right; }
details { border: 1px solid var(--line); border-radius: .5rem; margin: .5rem 0; }
summary { cursor: pointer; padding: .6rem 1rem; } details > div { padding: 0 1rem .75rem; }
summary .count { color: var(--quiet); float: right; }
code { font: 13px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
.example { border-top: 1px solid var(--line); padding: .6rem 0; }
dl { display: grid; gap: .15rem 1rem; margin: .4rem 0 0;
  grid-template-columns: max-content 1fr; } dt { color: var(--quiet); } dd { margin: 0; min-width: 0; }
"""
_REASONS: Final = {reason.name: reason for reason in (*REASONS, PRIVATE)}


def to_html(results: Results, title: str = "octavo compare") -> str:
    """Return the report as HTML."""
    return "\n".join(
        (
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>",
            *_head(results),
            *_groups("Unexplained differences", results.unexplained),
            *_groups("Differences with a documented reason", results.explained),
            *_unstable(results),
            *_errors(results),
            *_counts("Requests without a response from both services", results.failures),
            *_counts("Requests that were not sent", results.skipped),
            *_unread(results),
            "</body></html>\n",
        )
    )


def _head(results: Results) -> Iterator[str]:
    yield "<h1>Comparison of two services</h1>"
    yield f'<p class="quiet"><code>{escape(results.old)}</code> (old) and <code>{escape(results.new)}</code> (new)</p>'
    style = "bad" if results.unexplained else "good"
    yield f'<p class="verdict {style}">{escape(verdict(results))}</p><div class="tiles">'
    tiles = (
        ("requests compared", results.compared),
        ("equal", results.states["equal"]),
        ("with unexplained differences", results.unexplained_requests),
        ("with differences", results.states["different"]),
        ("unstable", results.states["unstable"]),
        ("failed", results.states["failed"]),
    )
    yield from (f'<div class="tile"><b>{number}</b>{name}</div>' for name, number in tiles)
    yield '</div><table><tr><th>Response time</th><th class="number">median</th><th class="number">95 %</th></tr>'
    for name, values in (("old", results.old_ms), ("new", results.new_ms)):
        times = times_of(values)
        yield f'<tr><td>{name}</td><td class="number">{times["median"]} ms</td>'
        yield f'<td class="number">{times["p95"]} ms</td></tr>'
    yield "</table>"


def verdict(results: Results) -> str:
    """Return the result in one sentence."""
    compared = counted(results.compared, "request")
    if not results.unexplained:
        return f"No unexplained differences in {compared}."
    groups = counted(len(results.unexplained), "group")
    return f"Unexplained differences in {results.unexplained_requests} of {compared}, in {groups}."


def _groups(title: str, groups: list[Group]) -> Iterator[str]:
    if not groups:
        return
    yield f"<h2>{title}</h2>"
    for group in groups:
        routes = ", ".join(sorted(group.routes))
        place = routes if group.shape == "$" else group.shape
        cause = group.cause.replace("->", "→")
        yield f'<details><summary><span class="count">{counted(group.requests, "request")}</span>'
        yield f"<b>{escape(cause)}</b> <code>{escape(place)}</code></summary><div>"
        if reason := _REASONS.get(group.reason):
            yield f"<p>{escape(reason.text)} See <code>docs/{escape(reason.link)}</code>.</p>"
        yield f'<p class="quiet">{escape(routes)}</p>'
        yield from (_example(example) for example in group.examples)
        yield "</div></details>"


def _example(example: Mapping[str, Any]) -> str:
    names = ("path", "old", "new", "body", "role", "source")
    rows = "".join(f"<dt>{name}</dt><dd><code>{escape(example[name])}</code></dd>" for name in names if example[name])
    request = escape(f"{example['method']} {example['target']}")
    return f'<div class="example"><code><b>{request}</b></code><dl>{rows}</dl></div>'


def _unstable(results: Results) -> Iterator[str]:
    if results.unstable:
        yield "<h2>Unstable responses</h2>"
        first = f"<code>{escape(results.old)}</code>"
        yield f"<p>These differences were not repeated, or {first} does not return the same response twice.</p>"
        yield from (f"<p><code>{escape(target)}</code></p>" for target in results.unstable)


def _errors(results: Results) -> Iterator[str]:
    named = {f"{name}, for example {results.error_examples[name]}": count for name, count in results.errors.items()}
    yield from _counts("Equal errors of both services", named)


def _unread(results: Results) -> Iterator[str]:
    if results.unread:
        yield "<h2>Source code that could not be read</h2>"
        yield from (f"<p><code>{escape(line)}</code></p>" for line in results.unread)


def _counts(title: str, counts: Mapping[str, int]) -> Iterator[str]:
    if counts:
        rows = "".join(
            f'<tr><td>{escape(name)}</td><td class="number">{count}</td></tr>' for name, count in counts.items()
        )
        yield f"<h2>{title}</h2><table>{rows}</table>"
