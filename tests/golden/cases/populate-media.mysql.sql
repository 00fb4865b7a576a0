SELECT CAST(
  concat_ws(
    '',
    '{"id":',
    t1.id,
    ',"attributes":{"title":',
    coalesce(json_quote(t1.`title`), 'null' COLLATE utf8mb4_bin),
    ',"cover":{"data":',
    coalesce(
      (
        SELECT concat_ws(
          '',
          '{"id":',
          t3.id,
          ',"attributes":{"url":',
          coalesce(json_quote(t3.`url`), 'null' COLLATE utf8mb4_bin),
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
        SELECT concat(
          '[',
          group_concat(
            concat_ws(
              '',
              '{"id":',
              t5.id,
              ',"attributes":{"url":',
              coalesce(json_quote(t5.`url`), 'null' COLLATE utf8mb4_bin),
              '}}'
            )
            ORDER BY t4.`order` IS NOT NULL,
            t4.`order`,
            t4.id SEPARATOR ','
          ),
          ']'
        )
        FROM files_related_morphs t4
        JOIN files t5 ON t5.id = t4.file_id
        WHERE t4.related_id = t1.id
        AND t4.related_type = 'api::book.book'
        AND t4.field = 'gallery'
      ),
      'null'
    ),
    '}},"meta":{"availableLocales":[',
    (
      SELECT group_concat(
        coalesce(json_quote(t8.`locale`), 'null' COLLATE utf8mb4_bin)
        ORDER BY t7.`book_order` IS NOT NULL,
        t7.`book_order`,
        t7.id SEPARATOR ','
      )
      FROM `books_localizations_links` t7
      JOIN `books` t8 ON t8.id = t7.`inv_book_id`
      WHERE t7.`book_id` = t1.id
    ),
    ']}}'
  ) AS BINARY
)
FROM `books` t1
WHERE t1.id = ?1
ORDER BY t1.id
LIMIT 1;
-- 1: 7
