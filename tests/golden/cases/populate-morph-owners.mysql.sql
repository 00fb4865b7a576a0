SELECT CAST(
  concat_ws(
    '',
    '{"id":',
    t1.id,
    ',"attributes":{"name":',
    coalesce(json_quote(t1.`name`), 'null' COLLATE utf8mb4_bin),
    ',"rank":',
    coalesce(t1.`rank`, 'null'),
    ',"createdAt":',
    coalesce(concat(left(date_format(t1.`created_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24), 'Z"'), 'null'),
    ',"updatedAt":',
    coalesce(concat(left(date_format(t1.`updated_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24), 'Z"'), 'null'),
    ',"publishedAt":',
    coalesce(
      concat(left(date_format(t1.`published_at`, '"%Y-%m-%dT%H:%i:%s.%f'), 24), 'Z"'),
      'null'
    ),
    ',"books":{"data":[',
    (
      SELECT group_concat(
        concat_ws(
          '',
          '{"id":',
          t3.id,
          ',"attributes":{"title":',
          coalesce(json_quote(t3.`title`), 'null' COLLATE utf8mb4_bin),
          ',"mentions":{"data":',
          coalesce(
            (
              SELECT concat(
                '[',
                group_concat(
                  concat_ws(
                    '',
                    '{"id":',
                    t4.id,
                    ',"attributes":{"text":',
                    coalesce(json_quote(t4.`text`), 'null' COLLATE utf8mb4_bin),
                    '}}'
                  )
                  ORDER BY t5.`order` IS NOT NULL,
                  t5.`order`,
                  t5.id SEPARATOR ','
                ),
                ']'
              )
              FROM `notes_subjects_morphs` t5
              JOIN `notes` t4 ON t4.id = t5.`note_id`
              WHERE t5.`subjects_id` = t3.id
              AND t5.`subjects_type` = 'api::book.book'
              AND t5.field = 'mentions'
            ),
            'null'
          ),
          '}}}'
        )
        ORDER BY t2.`book_order` IS NOT NULL,
        t2.`book_order`,
        t2.id SEPARATOR ','
      )
      FROM `books_genres_links` t2
      JOIN `books` t3 ON t3.id = t2.`book_id`
      WHERE t2.`genre_id` = t1.id
    ),
    ']}},"meta":{}}'
  ) AS BINARY
)
FROM `genres` t1
WHERE t1.id = ?1
ORDER BY t1.id
LIMIT 1;
-- 1: 1
