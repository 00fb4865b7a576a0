SELECT convert_to(CASE WHEN octet_length(a.json) > 33554432 THEN ('octavo: too large ' || octet_length(a.json))::int8::text ELSE a.json END, 'UTF8'), (
  SELECT count(*)
  FROM "books" t6
  WHERE (
    (position(lower($1::text) in lower(t6."title")) > 0 AND t6."published_at" IS NOT NULL)
    AND t6."locale" = $2::text
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
      (position(lower($1::text) in lower(t2."title")) > 0 AND t2."published_at" IS NOT NULL)
      AND t2."locale" = $2::text
    )
    ORDER BY t2.id
    LIMIT $3::int8
  ) t1
) a;
-- 1: '100%'
-- 2: 'en'
-- 3: 25
