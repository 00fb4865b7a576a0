SELECT CAST(
  concat(
    '{"id":',
    t1.id,
    ',"attributes":{"name":',
    json_quote(t1."name"),
    ',"rank":',
    json_quote(t1."rank"),
    ',"createdAt":',
    coalesce(
      '"' || replace(datetime(t1."created_at" / 1000.0, 'unixepoch', 'subsec'), ' ', 'T') || 'Z"',
      'null'
    ),
    ',"updatedAt":',
    coalesce(
      '"' || replace(datetime(t1."updated_at" / 1000.0, 'unixepoch', 'subsec'), ' ', 'T') || 'Z"',
      'null'
    ),
    ',"publishedAt":',
    coalesce(
      '"' || replace(datetime(t1."published_at" / 1000.0, 'unixepoch', 'subsec'), ' ', 'T') || 'Z"',
      'null'
    ),
    ',"books":{"data":[',
    (
      SELECT group_concat(t7.json, ',')
      FROM (
        SELECT concat(
          '{"id":',
          t3.id,
          ',"attributes":{"title":',
          json_quote(t3."title"),
          ',"mentions":{"data":',
          coalesce(
            (
              SELECT '[' || group_concat(t6.json, ',') || ']'
              FROM (
                SELECT concat(
                  '{"id":',
                  t4.id,
                  ',"attributes":{"text":',
                  json_quote(t4."text"),
                  '}}'
                ) AS json
                FROM "notes_subjects_morphs" t5
                JOIN "notes" t4 ON t4.id = t5."note_id"
                WHERE t5."subjects_id" = t3.id
                AND t5."subjects_type" = 'api::book.book'
                AND t5.field = 'mentions'
                ORDER BY t5."order",
                t5.id
              ) t6
            ),
            'null'
          ),
          '}}}'
        ) AS json
        FROM "books_genres_links" t2
        JOIN "books" t3 ON t3.id = t2."book_id"
        WHERE t2."genre_id" = t1.id
        ORDER BY t2."book_order",
        t2.id
      ) t7
    ),
    ']}},"meta":{}}'
  ) AS BLOB
)
FROM "genres" t1
WHERE t1.id = ?1
ORDER BY t1.id
LIMIT 1;
-- 1: 1
