WITH t2 AS MATERIALIZED (
  SELECT t3.id
  FROM "books" t3
  WHERE (
    (
      (
        t3.id IN (
          SELECT t5."book_id"
          FROM "books_author_links" t5
          JOIN "authors" t6 ON t6.id = t5."author_id"
          WHERE t6.id IS NULL
        )
        OR NOT EXISTS (
          SELECT 1
          FROM "books_author_links" t7
          JOIN "authors" t8 ON t8.id = t7."author_id"
          WHERE t7."book_id" = t3.id
        )
      )
      AND t3."published_at" IS NOT NULL
    )
    AND t3."locale" = $1::text
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
      t10.id,
      ',"attributes":{"title":',
      coalesce(to_json(t10."title")::text, 'null'),
      '},"meta":{"availableLocales":[',
      (
        SELECT string_agg(t13.json, ',')
        FROM (
          SELECT coalesce(to_json(t12."locale")::text, 'null') AS json
          FROM "books_localizations_links" t11
          JOIN "books" t12 ON t12.id = t11."inv_book_id"
          WHERE t11."book_id" = t10.id
          AND t12."published_at" IS NOT NULL
          ORDER BY t11."book_order",
          t11.id
        ) t13
      ),
      ']}}'
    ) AS json
    FROM (SELECT * FROM (SELECT * FROM t2 ORDER BY id LIMIT 100) t9 LIMIT $2::int8) t4
    JOIN "books" t10 ON t10.id = t4.id
    ORDER BY t4.id
    LIMIT $2::int8
  ) t1
) a;
-- 1: 'en'
-- 2: 25
