WITH t2 AS MATERIALIZED (
  SELECT t3.id
  FROM "books" t3
  WHERE (
    (
      t3.id IN (
        SELECT t5."book_id"
        FROM "books_author_links" t5
        JOIN "authors" t6 ON t6.id = t5."author_id"
        WHERE t6.id IN (
          SELECT t7."author_id"
          FROM "books_author_links" t7
          JOIN "books" t8 ON t8.id = t7."book_id"
          WHERE t8.id IN (
            SELECT t9."book_id"
            FROM "books_genres_links" t9
            JOIN "genres" t10 ON t10.id = t9."genre_id"
            WHERE t10."name" = $1::text
          )
        )
      )
      AND t3."published_at" IS NOT NULL
    )
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
      t12.id,
      ',"attributes":{"title":',
      coalesce(to_json(t12."title")::text, 'null'),
      '},"meta":{"availableLocales":[',
      (
        SELECT string_agg(t15.json, ',')
        FROM (
          SELECT coalesce(to_json(t14."locale")::text, 'null') AS json
          FROM "books_localizations_links" t13
          JOIN "books" t14 ON t14.id = t13."inv_book_id"
          WHERE t13."book_id" = t12.id
          AND t14."published_at" IS NOT NULL
          ORDER BY t13."book_order",
          t13.id
        ) t15
      ),
      ']}}'
    ) AS json
    FROM (SELECT * FROM (SELECT * FROM t2 ORDER BY id LIMIT 100) t11 LIMIT $3::int8) t4
    JOIN "books" t12 ON t12.id = t4.id
    ORDER BY t4.id
    LIMIT $3::int8
  ) t1
) a;
-- 1: 'genre 2'
-- 2: 'en'
-- 3: 25
