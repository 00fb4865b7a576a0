SELECT CAST(
  concat_ws(
    '',
    '[',
    coalesce(
      group_concat(
        concat_ws(
          '',
          '{"id":',
          t9.id,
          ',"attributes":{"title":',
          coalesce(json_quote(t9.`title`), 'null' COLLATE utf8mb4_bin),
          '},"meta":{"availableLocales":[',
          (
            SELECT group_concat(
              coalesce(json_quote(t11.`locale`), 'null' COLLATE utf8mb4_bin)
              ORDER BY t10.`book_order` IS NOT NULL,
              t10.`book_order`,
              t10.id SEPARATOR ','
            )
            FROM `books_localizations_links` t10
            JOIN `books` t11 ON t11.id = t10.`inv_book_id`
            WHERE t10.`book_id` = t9.id
            AND t11.`published_at` IS NOT NULL
          ),
          ']}}'
        )
        ORDER BY t4.id SEPARATOR ','
        LIMIT ?2
      ),
      ''
    ),
    ']'
  ) AS BINARY
), (SELECT count(*)
FROM `books` t3
WHERE (
  (
    (
      t3.id IN (
        SELECT t5.`book_id`
        FROM `books_author_links` t5
        JOIN `authors` t6 ON t6.id = t5.`author_id`
        WHERE t6.id IS NULL
      )
      OR NOT EXISTS (
        SELECT 1
        FROM `books_author_links` t7
        JOIN `authors` t8 ON t8.id = t7.`author_id`
        WHERE t7.`book_id` = t3.id
      )
    )
    AND t3.`published_at` IS NOT NULL
  )
  AND t3.`locale` = ?1
))
FROM (
  SELECT t3.id
  FROM `books` t3
  WHERE (
    (
      (
        t3.id IN (
          SELECT t5.`book_id`
          FROM `books_author_links` t5
          JOIN `authors` t6 ON t6.id = t5.`author_id`
          WHERE t6.id IS NULL
        )
        OR NOT EXISTS (
          SELECT 1
          FROM `books_author_links` t7
          JOIN `authors` t8 ON t8.id = t7.`author_id`
          WHERE t7.`book_id` = t3.id
        )
      )
      AND t3.`published_at` IS NOT NULL
    )
    AND t3.`locale` = ?1
  )
  ORDER BY id
  LIMIT ?2
) t4
JOIN `books` t9 ON t9.id = t4.id;
-- 1: 'en'
-- 2: 25
