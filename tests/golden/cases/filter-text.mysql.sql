SELECT CAST(
  concat_ws(
    '',
    '[',
    coalesce(
      group_concat(
        concat_ws(
          '',
          '{"id":',
          t5.id,
          ',"attributes":{"title":',
          coalesce(json_quote(t5.`title`), 'null' COLLATE utf8mb4_bin),
          '},"meta":{"availableLocales":[',
          (
            SELECT group_concat(
              coalesce(json_quote(t7.`locale`), 'null' COLLATE utf8mb4_bin)
              ORDER BY t6.`book_order` IS NOT NULL,
              t6.`book_order`,
              t6.id SEPARATOR ','
            )
            FROM `books_localizations_links` t6
            JOIN `books` t7 ON t7.id = t6.`inv_book_id`
            WHERE t6.`book_id` = t5.id
            AND t7.`published_at` IS NOT NULL
          ),
          ']}}'
        )
        ORDER BY t4.id SEPARATOR ','
        LIMIT ?3
      ),
      ''
    ),
    ']'
  ) AS BINARY
), (SELECT count(*)
FROM `books` t3
WHERE (
  (
    lower(t3.`title`) LIKE concat(
      '%',
      replace(replace(replace(lower(?1), '|', '||'), '%', '|%'), '_', '|_'),
      '%'
    ) ESCAPE '|'
    AND t3.`published_at` IS NOT NULL
  )
  AND t3.`locale` = ?2
))
FROM (
  SELECT t3.id
  FROM `books` t3
  WHERE (
    (
      lower(t3.`title`) LIKE concat(
        '%',
        replace(replace(replace(lower(?1), '|', '||'), '%', '|%'), '_', '|_'),
        '%'
      ) ESCAPE '|'
      AND t3.`published_at` IS NOT NULL
    )
    AND t3.`locale` = ?2
  )
  ORDER BY id
  LIMIT ?3
) t4
JOIN `books` t5 ON t5.id = t4.id;
-- 1: '100%'
-- 2: 'en'
-- 3: 25
