SELECT CAST(
  concat_ws(
    '',
    '[',
    coalesce(
      group_concat(
        concat_ws(
          '',
          '{"id":',
          t2.id,
          ',"attributes":{"locale":',
          coalesce(json_quote(t2.`locale`), 'null' COLLATE utf8mb4_bin),
          '},"meta":{"availableLocales":[',
          (
            SELECT group_concat(
              coalesce(json_quote(t6.`locale`), 'null' COLLATE utf8mb4_bin)
              ORDER BY t5.`book_order` IS NOT NULL,
              t5.`book_order`,
              t5.id SEPARATOR ','
            )
            FROM `books_localizations_links` t5
            JOIN `books` t6 ON t6.id = t5.`inv_book_id`
            WHERE t5.`book_id` = t2.id
          ),
          ']}}'
        )
        ORDER BY t2.id SEPARATOR ','
        LIMIT ?1
      ),
      ''
    ),
    ']'
  ) AS BINARY
), (SELECT count(*) FROM `books` t8)
FROM (SELECT t4.id FROM `books` t4 ORDER BY t4.id LIMIT ?1) t3
JOIN `books` t2 ON t2.id = t3.id;
-- 1: 3
