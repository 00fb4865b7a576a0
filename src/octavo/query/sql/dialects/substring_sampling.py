"""Choose which trigrams of a search text to look up in PostgreSQL's trigram index, by column statistics.

The index has a list of rows for each trigram, and reads the lists of all trigrams in the pattern. For common trigrams,
these are as long as the table. So the pattern contains only the trigrams that few of the sampled texts have. The
pattern only narrows the search; results stay the same.
"""

from typing import Final

_TEXTS: Final = 34
"""Number of texts in a sample."""
_RARE: Final = 3
"""A trigram is rare if at most this many of the sampled texts have it."""
_LONGEST: Final = 32
"""Maximum number of characters of the search text that are examined."""
_WALKED: Final = 200
"""Number of entries to scan in sort order without a sample."""
MOST_WALKED: Final = 4000
"""The same if several texts of the sample contain the search text."""

_DEPENDENT: Final = "ΣIJĮÌÍĨİ\u0307"
"""Letters whose lower case depends on their context, or is dropped, in some ICU locales."""


def sample(table: str, column: str) -> str:
    """Return the SELECT of some texts of a column, as `t`, and case-folded, as `f`: no row without statistics. Both
    names are literals."""
    known = (
        "SELECT coalesce(s.histogram_bounds::text, s.most_common_vals::text)::text[] AS v FROM pg_stats s"
        f" WHERE s.schemaname = current_schema() AND s.tablename = {table} AND s.attname = {column} AND NOT s.inherited"
        " OFFSET 0"  # evaluated once, not for each text
    )
    place = f"v.v[1 + n.n * (cardinality(v.v) - 1) / {_TEXTS - 1}]"
    return (
        f"SELECT t.t, lower(t.t) AS f FROM ({known}) v CROSS JOIN generate_series(0, {_TEXTS - 1}) n(n)"
        f" CROSS JOIN LATERAL (SELECT {place} AS t) t WHERE t.t IS NOT NULL"
    )


def walked(texts: str, contains: str) -> str:
    """Return how many entries to scan in sort order before using the index. `texts` is the table of a sample,
    `contains` the condition for one of its rows, `s`."""
    many = f"count(*) FILTER (WHERE {contains}) > 1"
    return f"(SELECT CASE WHEN count(*) = 0 THEN {_WALKED} WHEN {many} THEN {MOST_WALKED} ELSE 0 END FROM {texts} s)"


def pattern(texts: str, part: str, *, ignores_case: bool) -> str:
    """Return a LIKE pattern that every lower-cased text with the part matches. NULL if the part has no three
    consecutive letters, which the index requires."""
    folded = (
        f"lower({part})" if ignores_case else f"lower(translate({part}, '{_DEPENDENT}', '{' ' * len(_DEPENDENT)}'))"
    )
    counted = f"SELECT count(*) FROM {texts} s WHERE position(substr(p.p, i.i, 3) in s.f) > 0"
    pieces = (
        f"SELECT i.i, ({counted}) <= {_RARE} AS rare FROM p CROSS JOIN LATERAL generate_series(1, length(p.p) - 2) i(i)"
        " WHERE substr(p.p, i.i, 3) ~ '^[[:alnum:]]{3}$'"
    )
    asked = "SELECT i FROM w WHERE rare OR NOT (SELECT bool_or(rare) FROM w)"
    letter = (
        "CASE WHEN EXISTS (SELECT 1 FROM a WHERE a.i BETWEEN c.c - 2 AND c.c) THEN substr(p.p, c.c, 1) ELSE '%' END"
    )
    return (
        f"WITH p AS MATERIALIZED (SELECT left({folded}, {_LONGEST}) AS p), w AS MATERIALIZED ({pieces}),"
        f" a AS MATERIALIZED ({asked}) SELECT '%' || string_agg({letter}, '' ORDER BY c.c) || '%'"
        " FROM p CROSS JOIN LATERAL generate_series(1, length(p.p)) c(c) WHERE EXISTS (SELECT 1 FROM a)"
    )
