SELECT CAST(
  concat_ws(
    '',
    '{"id":',
    t1.id,
    ',"attributes":{"title":',
    coalesce(json_quote(t1.`title`), 'null' COLLATE utf8mb4_bin),
    '},"meta":{"availableLocales":[',
    (
      SELECT group_concat(
        coalesce(json_quote(t3.`locale`), 'null' COLLATE utf8mb4_bin)
        ORDER BY t2.`book_order` IS NOT NULL,
        t2.`book_order`,
        t2.id SEPARATOR ','
      )
      FROM `books_localizations_links` t2
      JOIN `books` t3 ON t3.id = t2.`inv_book_id`
      WHERE t2.`book_id` = t1.id
    ),
    ']}}'
  ) AS BINARY
)
FROM `books` t1
WHERE t1.id = ?1
ORDER BY t1.id
LIMIT 1;
-- 1: 7
