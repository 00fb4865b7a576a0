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
          ',"author":{"data":',
          coalesce(
            (
              SELECT concat_ws(
                '',
                '{"id":',
                t6.id,
                ',"attributes":{"name":',
                coalesce(json_quote(t6.`name`), 'null' COLLATE utf8mb4_bin),
                '}}'
              )
              FROM `books_author_links` t5
              JOIN `authors` t6 ON t6.id = t5.`author_id`
              WHERE t5.`book_id` = t2.id
              ORDER BY t5.id
              LIMIT 1
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
            WHERE t7.`book_id` = t2.id
            AND t8.`published_at` IS NOT NULL
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
), (SELECT count(*) FROM `books` t10 WHERE (t10.`published_at` IS NOT NULL AND t10.`locale` = ?1))
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
