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
    ',"cover":{"data":',
    coalesce(
      (
        SELECT concat(
          '{"id":',
          t3.id,
          ',"attributes":{"url":',
          coalesce(to_json(t3."url")::text, 'null'),
          '}}'
        )
        FROM files_related_morphs t2
        JOIN files t3 ON t3.id = t2.file_id
        WHERE t2.related_id = t1.id
        AND t2.related_type = 'api::book.book'
        AND t2.field = 'cover'
        ORDER BY t2.id
        LIMIT 1
      ),
      'null'
    ),
    '},"gallery":{"data":',
    coalesce(
      (
        SELECT '[' || string_agg(t6.json, ',') || ']'
        FROM (
          SELECT concat(
            '{"id":',
            t5.id,
            ',"attributes":{"url":',
            coalesce(to_json(t5."url")::text, 'null'),
            '}}'
          ) AS json
          FROM files_related_morphs t4
          JOIN files t5 ON t5.id = t4.file_id
          WHERE t4.related_id = t1.id
          AND t4.related_type = 'api::book.book'
          AND t4.field = 'gallery'
          ORDER BY t4."order",
          t4.id
        ) t6
      ),
      'null'
    ),
    '}},"meta":{"availableLocales":[',
    (
      SELECT string_agg(t9.json, ',')
      FROM (
        SELECT coalesce(to_json(t8."locale")::text, 'null') AS json
        FROM "books_localizations_links" t7
        JOIN "books" t8 ON t8.id = t7."inv_book_id"
        WHERE t7."book_id" = t1.id
        ORDER BY t7."book_order",
        t7.id
      ) t9
    ),
    ']}}'
  ) AS json
  FROM "books" t1
  WHERE t1.id = $1::int8
  ORDER BY t1.id
  LIMIT 1
) a;
-- 1: 7
