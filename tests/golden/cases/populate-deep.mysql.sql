SELECT CAST(
  concat_ws(
    '',
    '{"id":',
    t1.id,
    ',"attributes":{"name":',
    coalesce(json_quote(t1.`name`), 'null' COLLATE utf8mb4_bin),
    ',"books":{"data":[',
    (
      SELECT group_concat(
        concat_ws(
          '',
          '{"id":',
          t3.id,
          ',"attributes":{"title":',
          coalesce(json_quote(t3.`title`), 'null' COLLATE utf8mb4_bin),
          ',"genres":{"data":[',
          (
            SELECT group_concat(
              concat_ws(
                '',
                '{"id":',
                t5.id,
                ',"attributes":{"name":',
                coalesce(json_quote(t5.`name`), 'null' COLLATE utf8mb4_bin),
                ',"parent":{"data":',
                coalesce(
                  (
                    SELECT concat_ws(
                      '',
                      '{"id":',
                      t7.id,
                      ',"attributes":{"name":',
                      coalesce(json_quote(t7.`name`), 'null' COLLATE utf8mb4_bin),
                      '}}'
                    )
                    FROM `genres_parent_links` t6
                    JOIN `genres` t7 ON t7.id = t6.`inv_genre_id`
                    WHERE t6.`genre_id` = t5.id
                    ORDER BY t6.id
                    LIMIT 1
                  ),
                  'null'
                ),
                '}}}'
              )
              ORDER BY t4.`genre_order` IS NOT NULL,
              t4.`genre_order`,
              t4.id SEPARATOR ','
            )
            FROM `books_genres_links` t4
            JOIN `genres` t5 ON t5.id = t4.`genre_id`
            WHERE t4.`book_id` = t3.id
          ),
          ']}}}'
        )
        ORDER BY t2.`book_order` IS NOT NULL,
        t2.`book_order`,
        t2.id SEPARATOR ','
      )
      FROM `books_author_links` t2
      JOIN `books` t3 ON t3.id = t2.`book_id`
      WHERE t2.`author_id` = t1.id
    ),
    ']}},"meta":{}}'
  ) AS BINARY
)
FROM `authors` t1
WHERE t1.id = ?1
ORDER BY t1.id
LIMIT 1;
-- 1: 1
