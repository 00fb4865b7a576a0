SELECT convert_to(
  CASE
  WHEN octet_length(a.json) > 33554432
  THEN ('octavo: too large ' || octet_length(a.json))::int8::text
  ELSE a.json END,
  'UTF8'
)
FROM (
  SELECT concat(
    '{"id":',
    t1.id,
    ',"attributes":{"title":',
    coalesce(to_json(t1."title")::text, 'null'),
    '},"meta":{"availableLocales":[',
    (
      SELECT string_agg(t4.json, ',')
      FROM (
        SELECT coalesce(to_json(t3."locale")::text, 'null') AS json
        FROM "books_localizations_links" t2
        JOIN "books" t3 ON t3.id = t2."inv_book_id"
        WHERE t2."book_id" = t1.id
        ORDER BY t2."book_order",
        t2.id
      ) t4
    ),
    ']}}'
  ) AS json
  FROM "books" t1
  WHERE t1.id = $1::int8
  ORDER BY t1.id
  LIMIT 1
) a;
-- 1: 1
