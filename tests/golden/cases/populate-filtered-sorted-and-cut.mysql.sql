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
          ',"attributes":{"name":',
          coalesce(json_quote(t2.`name`), 'null' COLLATE utf8mb4_bin),
          ',"books":{"data":[',
          (
            SELECT group_concat(
              concat_ws(
                '',
                '{"id":',
                t6.id,
                ',"attributes":{"title":',
                coalesce(json_quote(t6.`title`), 'null' COLLATE utf8mb4_bin),
                ',"pages":',
                coalesce(t6.`pages`, 'null'),
                '}}'
              )
              ORDER BY t6.`pages` IS NOT NULL DESC,
              t6.`pages` DESC,
              t5.`book_order` IS NOT NULL,
              t5.`book_order`,
              t5.id SEPARATOR ',' LIMIT ?3
            )
            FROM `books_author_links` t5
            JOIN `books` t6 ON t6.id = t5.`book_id`
            WHERE t5.`author_id` = t2.id
            AND (t6.`pages` > ?2 AND t6.`published_at` IS NOT NULL)
          ),
          ']}},"meta":{}}'
        )
        ORDER BY t2.id SEPARATOR ','
        LIMIT ?1
      ),
      ''
    ),
    ']'
  ) AS BINARY
), (SELECT count(*) FROM `authors` t8)
FROM (SELECT t4.id FROM `authors` t4 ORDER BY t4.id LIMIT ?1) t3
JOIN `authors` t2 ON t2.id = t3.id;
-- 1: 2
-- 2: 50
-- 3: 1
