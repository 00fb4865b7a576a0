SELECT convert_to(CASE WHEN octet_length(a.json) > 33554432 THEN ('octavo: too large ' || octet_length(a.json))::int8::text ELSE a.json END, 'UTF8'), (
  SELECT count(*)
  FROM "books" t6
  WHERE (
    (
      (
        t6."pages" BETWEEN $1::int8
        AND $2::int8
        AND t6."release_date" > $3::text::date
        AND t6."reviewed_at" < (
          timestamp 'epoch' + $4::int8 / 1000 * interval '1 second' + $4::int8 % 1000 * interval '1 millisecond'
        )
        AND t6."in_stock" = $5::boolean
      )
      AND t6."published_at" IS NOT NULL
    )
    AND t6."locale" = $6::text
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
        (
          t2."pages" BETWEEN $1::int8
          AND $2::int8
          AND t2."release_date" > $3::text::date
          AND t2."reviewed_at" < (
            timestamp 'epoch' + $4::int8 / 1000 * interval '1 second' + $4::int8 % 1000 * interval '1 millisecond'
          )
          AND t2."in_stock" = $5::boolean
        )
        AND t2."published_at" IS NOT NULL
      )
      AND t2."locale" = $6::text
    )
    ORDER BY t2.id
    LIMIT $7::int8
  ) t1
) a;
-- 1: 50
-- 2: 100
-- 3: '2005-01-01'
-- 4: 1598918400000
-- 5: True
-- 6: 'en'
-- 7: 25
