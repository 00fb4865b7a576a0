SELECT CAST(
  concat(
    '{"id":',
    t1.id,
    ',"attributes":{"title":',
    json_quote(t1."title"),
    ',"cover":{"data":',
    coalesce(
      (
        SELECT concat('{"id":', t3.id, ',"attributes":{"url":', json_quote(t3."url"), '}}')
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
        SELECT '[' || group_concat(t6.json, ',') || ']'
        FROM (
          SELECT concat(
            '{"id":',
            t5.id,
            ',"attributes":{"url":',
            json_quote(t5."url"),
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
      SELECT group_concat(t9.json, ',')
      FROM (
        SELECT json_quote(t8."locale") AS json
        FROM "books_localizations_links" t7
        JOIN "books" t8 ON t8.id = t7."inv_book_id"
        WHERE t7."book_id" = t1.id
        ORDER BY t7."book_order",
        t7.id
      ) t9
    ),
    ']}}'
  ) AS BLOB
)
FROM "books" t1
WHERE t1.id = ?1
ORDER BY t1.id
LIMIT 1;
-- 1: 7
