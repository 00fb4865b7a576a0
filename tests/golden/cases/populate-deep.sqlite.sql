SELECT CAST(
  concat(
    '{"id":',
    t1.id,
    ',"attributes":{"name":',
    json_quote(t1."name"),
    ',"books":{"data":[',
    (
      SELECT group_concat(t9.json, ',')
      FROM (
        SELECT concat(
          '{"id":',
          t3.id,
          ',"attributes":{"title":',
          json_quote(t3."title"),
          ',"genres":{"data":[',
          (
            SELECT group_concat(t8.json, ',')
            FROM (
              SELECT concat(
                '{"id":',
                t5.id,
                ',"attributes":{"name":',
                json_quote(t5."name"),
                ',"parent":{"data":',
                coalesce(
                  (
                    SELECT concat(
                      '{"id":',
                      t7.id,
                      ',"attributes":{"name":',
                      json_quote(t7."name"),
                      '}}'
                    )
                    FROM "genres_parent_links" t6
                    JOIN "genres" t7 ON t7.id = t6."inv_genre_id"
                    WHERE t6."genre_id" = t5.id
                    ORDER BY t6.id
                    LIMIT 1
                  ),
                  'null'
                ),
                '}}}'
              ) AS json
              FROM "books_genres_links" t4
              JOIN "genres" t5 ON t5.id = t4."genre_id"
              WHERE t4."book_id" = t3.id
              ORDER BY t4."genre_order",
              t4.id
            ) t8
          ),
          ']}}}'
        ) AS json
        FROM "books_author_links" t2
        JOIN "books" t3 ON t3.id = t2."book_id"
        WHERE t2."author_id" = t1.id
        ORDER BY t2."book_order",
        t2.id
      ) t9
    ),
    ']}},"meta":{}}'
  ) AS BLOB
)
FROM "authors" t1
WHERE t1.id = ?1
ORDER BY t1.id
LIMIT 1;
-- 1: 1
