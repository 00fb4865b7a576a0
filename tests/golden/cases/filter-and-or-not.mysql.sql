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
          ',"attributes":{"pages":',
          coalesce(t2.`pages`, 'null'),
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
        LIMIT ?4
      ),
      ''
    ),
    ']'
  ) AS BINARY
), (SELECT count(*)
FROM `books` t8
WHERE (
  (
    ((t8.`pages` < ?1 OR NOT (t8.`pages` < ?2)) AND t8.`slug` IS NOT NULL)
    AND t8.`published_at` IS NOT NULL
  )
  AND t8.`locale` = ?3
))
FROM (
  SELECT t4.id
  FROM `books` t4
  WHERE (
    (
      ((t4.`pages` < ?1 OR NOT (t4.`pages` < ?2)) AND t4.`slug` IS NOT NULL)
      AND t4.`published_at` IS NOT NULL
    )
    AND t4.`locale` = ?3
  )
  ORDER BY t4.id
  LIMIT ?4
) t3
JOIN `books` t2 ON t2.id = t3.id;
-- 1: 30
-- 2: 190
-- 3: 'en'
-- 4: 25
