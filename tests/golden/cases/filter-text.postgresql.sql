WITH t2 AS MATERIALIZED (
  SELECT t3.id
  FROM "books" t3
  WHERE (
    (position(lower($1::text) in lower(t3."title")) > 0 AND t3."published_at" IS NOT NULL)
    AND t3."locale" = $2::text
  )
) SELECT convert_to(CASE
WHEN octet_length(a.json) > 33554432
THEN ('octavo: too large ' || octet_length(a.json))::int8::text
ELSE a.json END, 'UTF8'), (SELECT count(*)
FROM t2)
FROM (
  SELECT concat('[', coalesce(string_agg(t1.json, ','), ''), ']') AS json
  FROM (
    SELECT concat(
      '{"id":',
      t6.id,
      ',"attributes":{"title":',
      coalesce(to_json(t6."title")::text, 'null'),
      '},"meta":{"availableLocales":[',
      (
        SELECT string_agg(t9.json, ',')
        FROM (
          SELECT coalesce(to_json(t8."locale")::text, 'null') AS json
          FROM "books_localizations_links" t7
          JOIN "books" t8 ON t8.id = t7."inv_book_id"
          WHERE t7."book_id" = t6.id
          AND t8."published_at" IS NOT NULL
          ORDER BY t7."book_order",
          t7.id
        ) t9
      ),
      ']}}'
    ) AS json
    FROM (SELECT * FROM (SELECT * FROM t2 ORDER BY id LIMIT 100) t5 LIMIT $3::int8) t4
    JOIN "books" t6 ON t6.id = t4.id
    ORDER BY t4.id
    LIMIT $3::int8
  ) t1
) a;
-- 1: '100%'
-- 2: 'en'
-- 3: 25
