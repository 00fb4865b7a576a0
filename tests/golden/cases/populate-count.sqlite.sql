SELECT CAST(concat('[', coalesce(group_concat(t1.json, ','), ''), ']') AS BLOB), (
  SELECT CASE
  WHEN (SELECT max(id) FROM "books") < 1000
  THEN (SELECT count(*) FROM "books" t8 WHERE (t8."published_at" IS NOT NULL AND t8."locale" = ?1))
  ELSE (
    SELECT CASE
    WHEN (
      SELECT schema_version FROM octavo_totals_known WHERE relation = 'books'
    ) = (SELECT schema_version FROM pragma_schema_version)
    THEN (
      SELECT coalesce(sum(k.total), 0)
      FROM octavo_totals k
      WHERE k.relation = 'books'
      AND k.published = 1
      AND k.locale IN (coalesce('x' || hex(?1), ''))
    )
    ELSE (
      SELECT count(*) FROM "books" t8 WHERE (t8."published_at" IS NOT NULL AND t8."locale" = ?1)
    ) END
  ) END
)
FROM (
  SELECT concat(
    '{"id":',
    t2.id,
    ',"attributes":{"title":',
    json_quote(t2."title"),
    ',"genres":{"data":{"attributes":{"count":',
    (
      SELECT count(*)
      FROM "books_genres_links" t3
      JOIN "genres" t4 ON t4.id = t3."genre_id"
      WHERE t3."book_id" = t2.id
      AND t4."published_at" IS NOT NULL
    ),
    '}}}},"meta":{"availableLocales":[',
    (
      SELECT group_concat(t7.json, ',')
      FROM (
        SELECT json_quote(t6."locale") AS json
        FROM "books_localizations_links" t5
        JOIN "books" t6 ON t6.id = t5."inv_book_id"
        WHERE t5."book_id" = t2.id
        AND t6."published_at" IS NOT NULL
        ORDER BY t5."book_order",
        t5.id
      ) t7
    ),
    ']}}'
  ) AS json
  FROM "books" t2
  WHERE (t2."published_at" IS NOT NULL AND t2."locale" = ?1)
  ORDER BY t2.id
  LIMIT ?2
) t1;
-- 1: 'en'
-- 2: 2
