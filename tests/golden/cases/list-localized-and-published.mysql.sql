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
          ',"attributes":{"title":',
          coalesce(json_quote(t2.`title`), 'null' COLLATE utf8mb4_bin),
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
            AND t6.`published_at` IS NOT NULL
          ),
          ']}}'
        )
        ORDER BY t2.id SEPARATOR ','
        LIMIT ?2
      ),
      ''
    ),
    ']'
  ) AS BINARY
), (SELECT count(*) FROM `books` t8 WHERE (t8.`published_at` IS NOT NULL AND t8.`locale` = ?1))
FROM (
  SELECT t4.id
  FROM `books` t4
  WHERE (t4.`published_at` IS NOT NULL AND t4.`locale` = ?1)
  ORDER BY t4.id
  LIMIT ?2
) t3
JOIN `books` t2 ON t2.id = t3.id;
-- 1: 'en'
-- 2: 2
