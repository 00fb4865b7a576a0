SELECT convert_to(CASE WHEN octet_length(a.json) > 33554432 THEN ('octavo: too large ' || octet_length(a.json))::int8::text ELSE a.json END, 'UTF8'), (
  SELECT count(*)
  FROM "books" t10
  WHERE (
    (
      (
        t10.id IN (
          SELECT t11."book_id"
          FROM "books_author_links" t11
          JOIN "authors" t12 ON t12.id = t11."author_id"
          WHERE t12.id IS NULL
        )
        OR NOT EXISTS (
          SELECT 1
          FROM "books_author_links" t13
          JOIN "authors" t14 ON t14.id = t13."author_id"
          WHERE t13."book_id" = t10.id
        )
      )
      AND t10."published_at" IS NOT NULL
    )
    AND t10."locale" = $1::text
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
        (
          t2.id IN (
            SELECT t6."book_id"
            FROM "books_author_links" t6
            JOIN "authors" t7 ON t7.id = t6."author_id"
            WHERE t7.id IS NULL
          )
          OR NOT EXISTS (
            SELECT 1
            FROM "books_author_links" t8
            JOIN "authors" t9 ON t9.id = t8."author_id"
            WHERE t8."book_id" = t2.id
          )
        )
        AND t2."published_at" IS NOT NULL
      )
      AND t2."locale" = $1::text
    )
    ORDER BY t2.id
    LIMIT $2::int8
  ) t1
) a;
-- 1: 'en'
-- 2: 25
