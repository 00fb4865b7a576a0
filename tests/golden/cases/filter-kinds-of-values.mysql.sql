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
        LIMIT ?7
      ),
      ''
    ),
    ']'
  ) AS BINARY
), (SELECT count(*)
FROM `books` t8
WHERE (
  (
    (
      t8.`pages` BETWEEN ?1
      AND ?2
      AND t8.`release_date` > ?3
      AND t8.`reviewed_at` < (
        TIMESTAMP'1970-01-01 00:00:00' + INTERVAL least(
          greatest(?4, -62135596800000),
          253402300799999
        ) * 1000 MICROSECOND
      )
      AND t8.`in_stock` = ?5
    )
    AND t8.`published_at` IS NOT NULL
  )
  AND t8.`locale` = ?6
))
FROM (
  SELECT t4.id
  FROM `books` t4
  WHERE (
    (
      (
        t4.`pages` BETWEEN ?1
        AND ?2
        AND t4.`release_date` > ?3
        AND t4.`reviewed_at` < (
          TIMESTAMP'1970-01-01 00:00:00' + INTERVAL least(
            greatest(?4, -62135596800000),
            253402300799999
          ) * 1000 MICROSECOND
        )
        AND t4.`in_stock` = ?5
      )
      AND t4.`published_at` IS NOT NULL
    )
    AND t4.`locale` = ?6
  )
  ORDER BY t4.id
  LIMIT ?7
) t3
JOIN `books` t2 ON t2.id = t3.id;
-- 1: 50
-- 2: 100
-- 3: '2005-01-01'
-- 4: 1598918400000
-- 5: True
-- 6: 'en'
-- 7: 25
