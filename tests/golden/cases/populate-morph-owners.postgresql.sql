SELECT convert_to(
  CASE
  WHEN octet_length(a.json) > 33554432
  THEN ('octavo: too large ' || octet_length(a.json))::int8::text
  ELSE a.json END,
  'UTF8'
)
FROM (
  SELECT concat(
    '{"id":',
    t1.id,
    ',"attributes":{"name":',
    coalesce(to_json(t1."name")::text, 'null'),
    ',"rank":',
    coalesce(t1."rank"::text, 'null'),
    ',"createdAt":',
    coalesce('"' || to_char(t1."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null'),
    ',"updatedAt":',
    coalesce('"' || to_char(t1."updated_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null'),
    ',"publishedAt":',
    coalesce('"' || to_char(t1."published_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null'),
    ',"books":{"data":[',
    (
      SELECT string_agg(t7.json, ',')
      FROM (
        SELECT concat(
          '{"id":',
          t3.id,
          ',"attributes":{"title":',
          coalesce(to_json(t3."title")::text, 'null'),
          ',"mentions":{"data":',
          coalesce(
            (
              SELECT '[' || string_agg(t6.json, ',') || ']'
              FROM (
                SELECT concat(
                  '{"id":',
                  t4.id,
                  ',"attributes":{"text":',
                  coalesce(to_json(t4."text")::text, 'null'),
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
  ) AS json
  FROM "genres" t1
  WHERE t1.id = $1::int8
  ORDER BY t1.id
  LIMIT 1
) a;
-- 1: 1
