"""Which pieces of a part to ask a trigram index of PostgreSQL for, by what the statistics of the column hold.

The index has a list of rows for each three letters, and goes through those of all that it is asked for: of what most
texts have, these are as long as the table. So it is asked for the pieces that few of some sampled texts have. That
narrows, and decides nothing.
"""

from typing import Final

_TEXTS: Final = 34
"""Texts of a sample."""
_RARE: Final = 3
"""What no more of these have is rare."""
_LONGEST: Final = 32
"""Letters of a part that are looked at."""
_WALKED: Final = 200
"""Entries that are looked at in their order where there is no sample."""
MOST_WALKED: Final = 4000
"""The same for a part that several texts of the sample have."""

_DEPENDENT: Final = "ΣIJĮÌÍĨİ\u0307"
"""Letters that some languages of ICU make small by what is beside them, or leave out."""


def sample(table: str, column: str) -> str:
    """The SELECT of some texts of a column, as `t`, and regardless of case, as `f`: no row where nothing is known. Both
    names are literals."""
    known = (
        "SELECT coalesce(s.histogram_bounds::text, s.most_common_vals::text)::text[] AS v FROM pg_stats s"
        f" WHERE s.schemaname = current_schema() AND s.tablename = {table} AND s.attname = {column} AND NOT s.inherited"
        " OFFSET 0"  # read once, not for each text
    )
    place = f"v.v[1 + n.n * (cardinality(v.v) - 1) / {_TEXTS - 1}]"
    return (
        f"SELECT t.t, lower(t.t) AS f FROM ({known}) v CROSS JOIN generate_series(0, {_TEXTS - 1}) n(n)"
        f" CROSS JOIN LATERAL (SELECT {place} AS t) t WHERE t.t IS NOT NULL"
    )


def walked(texts: str, contains: str) -> str:
    """How many entries to look at in their order before the index is asked. `texts` is the table of a sample,
    `contains` the condition for one of it, `s`."""
    many = f"count(*) FILTER (WHERE {contains}) > 1"
    return f"(SELECT CASE WHEN count(*) = 0 THEN {_WALKED} WHEN {many} THEN {MOST_WALKED} ELSE 0 END FROM {texts} s)"


def pattern(texts: str, part: str, *, ignores_case: bool) -> str:
    """The pattern of LIKE that whatever contains the part meets when it is small; NULL where the part has no three
    letters in a row, which is what an index finds."""
    folded = (
        f"lower({part})" if ignores_case else f"lower(translate({part}, '{_DEPENDENT}', '{' ' * len(_DEPENDENT)}'))"
    )
    found = f"SELECT count(*) FROM {texts} s WHERE position(substr(p.p, i.i, 3) in s.f) > 0"
    pieces = (
        f"SELECT i.i, ({found}) <= {_RARE} AS rare FROM p CROSS JOIN LATERAL generate_series(1, length(p.p) - 2) i(i)"
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
