SELECT CAST(
  concat_ws(
    '',
    '[',
    coalesce(
      group_concat(
        concat_ws(
          '',
          '{"id":',
          t11.id,
          ',"attributes":{"title":',
          coalesce(json_quote(t11.`title`), 'null' COLLATE utf8mb4_bin),
          '},"meta":{"availableLocales":[',
          (
            SELECT group_concat(
              coalesce(json_quote(t13.`locale`), 'null' COLLATE utf8mb4_bin)
              ORDER BY t12.`book_order` IS NOT NULL,
              t12.`book_order`,
              t12.id SEPARATOR ','
            )
            FROM `books_localizations_links` t12
            JOIN `books` t13 ON t13.id = t12.`inv_book_id`
            WHERE t12.`book_id` = t11.id
            AND t13.`published_at` IS NOT NULL
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
    t3.id IN (
      SELECT t5.`book_id`
      FROM `books_author_links` t5
      JOIN `authors` t6 ON t6.id = t5.`author_id`
      WHERE t6.id IN (
        SELECT t7.`author_id`
        FROM `books_author_links` t7
        JOIN `books` t8 ON t8.id = t7.`book_id`
        WHERE t8.id IN (
          SELECT t9.`book_id`
          FROM `books_genres_links` t9
          JOIN `genres` t10 ON t10.id = t9.`genre_id`
          WHERE t10.`name` = ?1
        )
      )
    )
    AND t3.`published_at` IS NOT NULL
  )
  AND t3.`locale` = ?2
))
FROM (
  SELECT t3.id
  FROM `books` t3
  WHERE (
    (
      t3.id IN (
        SELECT t5.`book_id`
        FROM `books_author_links` t5
        JOIN `authors` t6 ON t6.id = t5.`author_id`
        WHERE t6.id IN (
          SELECT t7.`author_id`
          FROM `books_author_links` t7
          JOIN `books` t8 ON t8.id = t7.`book_id`
          WHERE t8.id IN (
            SELECT t9.`book_id`
            FROM `books_genres_links` t9
            JOIN `genres` t10 ON t10.id = t9.`genre_id`
            WHERE t10.`name` = ?1
          )
        )
      )
      AND t3.`published_at` IS NOT NULL
    )
    AND t3.`locale` = ?2
  )
  ORDER BY id
  LIMIT ?3
) t4
JOIN `books` t11 ON t11.id = t4.id;
-- 1: 'genre 2'
-- 2: 'en'
-- 3: 25
