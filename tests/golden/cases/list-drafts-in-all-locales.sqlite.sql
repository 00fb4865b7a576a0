SELECT CAST(concat('[', coalesce(group_concat(t1.json, ','), ''), ']') AS BLOB), (
  SELECT CASE
  WHEN (SELECT max(id) FROM "books") < 1000
  THEN (SELECT count(*) FROM "books" t6)
  ELSE (
    SELECT CASE
    WHEN (
      SELECT schema_version FROM octavo_totals_known WHERE relation = 'books'
    ) = (SELECT schema_version FROM pragma_schema_version)
    THEN (SELECT coalesce(sum(k.total), 0) FROM octavo_totals k WHERE k.relation = 'books')
    ELSE (SELECT count(*) FROM "books" t6) END
  ) END
)
FROM (
  SELECT concat(
    '{"id":',
    t2.id,
    ',"attributes":{"locale":',
    json_quote(t2."locale"),
    '},"meta":{"availableLocales":[',
    (
      SELECT group_concat(t5.json, ',')
      FROM (
        SELECT json_quote(t4."locale") AS json
        FROM "books_localizations_links" t3
        JOIN "books" t4 ON t4.id = t3."inv_book_id"
        WHERE t3."book_id" = t2.id
        ORDER BY t3."book_order",
        t3.id
      ) t5
    ),
    ']}}'
  ) AS json
  FROM "books" t2
  ORDER BY t2.id
  LIMIT ?1
) t1;
-- 1: 3
