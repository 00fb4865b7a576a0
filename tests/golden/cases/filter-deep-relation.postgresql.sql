SELECT convert_to(CASE WHEN octet_length(a.json) > 33554432 THEN ('octavo: too large ' || octet_length(a.json))::int8::text ELSE a.json END, 'UTF8'), (
  SELECT count(*)
  FROM "books" t12
  WHERE (
    (
      t12.id IN (
        SELECT t13."book_id"
        FROM "books_author_links" t13
        JOIN "authors" t14 ON t14.id = t13."author_id"
        WHERE t14.id IN (
          SELECT t15."author_id"
          FROM "books_author_links" t15
          JOIN "books" t16 ON t16.id = t15."book_id"
          WHERE t16.id IN (
            SELECT t17."book_id"
            FROM "books_genres_links" t17
            JOIN "genres" t18 ON t18.id = t17."genre_id"
            WHERE t18."name" = $1::text
          )
        )
      )
      AND t12."published_at" IS NOT NULL
    )
    AND t12."locale" = $2::text
  )
)
FROM (
  SELECT concat('[', coalesce(string_agg(t1.json, ','), ''), ']') AS json
  FROM (
    SELECT concat(
      '{"id":',
      t2.id,
      ',"attributes":{"title":',
      coalesce(to_json(t2."title")::text, 'null'),
      '},"meta":{"availableLocales":',
      concat(
        '[',
        (
          SELECT string_agg(t5.json, ',')
          FROM (
            SELECT coalesce(to_json(t4."locale")::text, 'null') AS json
            FROM "books_localizations_links" t3
            JOIN "books" t4 ON t4.id = t3."inv_book_id"
            WHERE t3."book_id" = t2.id
            AND t4."published_at" IS NOT NULL
            ORDER BY t3."book_order",
            t3.id
          ) t5
        ),
        ']'
      ),
      '}}'
    ) AS json
    FROM "books" t2
    WHERE (
      (
        t2.id IN (
          SELECT t6."book_id"
          FROM "books_author_links" t6
          JOIN "authors" t7 ON t7.id = t6."author_id"
          WHERE t7.id IN (
            SELECT t8."author_id"
            FROM "books_author_links" t8
            JOIN "books" t9 ON t9.id = t8."book_id"
            WHERE t9.id IN (
              SELECT t10."book_id"
              FROM "books_genres_links" t10
              JOIN "genres" t11 ON t11.id = t10."genre_id"
              WHERE t11."name" = $1::text
            )
          )
        )
        AND t2."published_at" IS NOT NULL
      )
      AND t2."locale" = $2::text
    )
    ORDER BY t2.id
    LIMIT $3::int8
  ) t1
) a;
-- 1: 'genre 2'
-- 2: 'en'
-- 3: 25
