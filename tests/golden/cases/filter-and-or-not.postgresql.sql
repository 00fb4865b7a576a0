SELECT convert_to(CASE WHEN octet_length(a.json) > 33554432 THEN ('octavo: too large ' || octet_length(a.json))::int8::text ELSE a.json END, 'UTF8'), (
  SELECT count(*)
  FROM "books" t6
  WHERE (
    (
      ((t6."pages" < $1::int8 OR NOT (t6."pages" < $2::int8)) AND t6."slug" IS NOT NULL)
      AND t6."published_at" IS NOT NULL
    )
    AND t6."locale" = $3::text
  )
)
FROM (
  SELECT concat('[', coalesce(string_agg(t1.json, ','), ''), ']') AS json
  FROM (
    SELECT concat(
      '{"id":',
      t2.id,
      ',"attributes":{"pages":',
      coalesce(t2."pages"::text, 'null'),
      '},"meta":{"availableLocales":[',
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
      ']}}'
    ) AS json
    FROM "books" t2
    WHERE (
      (
        ((t2."pages" < $1::int8 OR NOT (t2."pages" < $2::int8)) AND t2."slug" IS NOT NULL)
        AND t2."published_at" IS NOT NULL
      )
      AND t2."locale" = $3::text
    )
    ORDER BY t2.id
    LIMIT $4::int8
  ) t1
) a;
-- 1: 30
-- 2: 190
-- 3: 'en'
-- 4: 25
