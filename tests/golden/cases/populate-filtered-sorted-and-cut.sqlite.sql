SELECT CAST(concat('[', coalesce(group_concat(t1.json, ','), ''), ']') AS BLOB), (
  SELECT CASE
  WHEN (SELECT max(id) FROM "authors") < 1000
  THEN (SELECT count(*) FROM "authors" t6)
  ELSE (
    SELECT CASE
    WHEN (
      SELECT schema_version FROM octavo_totals_known WHERE relation = 'authors'
    ) = (SELECT schema_version FROM pragma_schema_version)
    THEN (SELECT coalesce(sum(k.total), 0) FROM octavo_totals k WHERE k.relation = 'authors')
    ELSE (SELECT count(*) FROM "authors" t6) END
  ) END
)
FROM (
  SELECT concat(
    '{"id":',
    t2.id,
    ',"attributes":{"name":',
    json_quote(t2."name"),
    ',"books":{"data":[',
    (
      SELECT group_concat(t5.json, ',')
      FROM (
        SELECT concat(
          '{"id":',
          t4.id,
          ',"attributes":{"title":',
          json_quote(t4."title"),
          ',"pages":',
          json_quote(t4."pages"),
          '}}'
        ) AS json
        FROM "books_author_links" t3
        JOIN "books" t4 ON t4.id = t3."book_id"
        WHERE t3."author_id" = t2.id
        AND (t4."pages" > ?2 AND t4."published_at" IS NOT NULL)
        ORDER BY t4."pages" DESC,
        t3."book_order",
        t3.id LIMIT ?3
      ) t5
    ),
    ']}},"meta":{}}'
  ) AS json
  FROM "authors" t2
  ORDER BY t2.id
  LIMIT ?1
) t1;
-- 1: 2
-- 2: 50
-- 3: 1
