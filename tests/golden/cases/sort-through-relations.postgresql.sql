SELECT convert_to(CASE WHEN octet_length(a.json) > 33554432 THEN ('octavo: too large ' || octet_length(a.json))::int8::text ELSE a.json END, 'UTF8'), (
  SELECT count(*)
  FROM "genres" t7
  WHERE (
    t7.id IN (
      SELECT t8."genre_id"
      FROM "genres_parent_links" t8
      JOIN "genres" t9 ON t9.id = t8."inv_genre_id"
      WHERE t9.id IS NOT NULL
    )
    AND t7."published_at" IS NOT NULL
  )
)
FROM (
  SELECT concat('[', coalesce(string_agg(t1.json, ','), ''), ']') AS json
  FROM (
    SELECT concat(
      '{"id":',
      t2.id,
      ',"attributes":{"rank":',
      coalesce(t2."rank"::text, 'null'),
      '},"meta":{}}'
    ) AS json
    FROM "genres" t2
    WHERE (
      t2.id IN (
        SELECT t5."genre_id"
        FROM "genres_parent_links" t5
        JOIN "genres" t6 ON t6.id = t5."inv_genre_id"
        WHERE t6.id IS NOT NULL
      )
      AND t2."published_at" IS NOT NULL
    )
    ORDER BY (
      SELECT t4."name"
      FROM "genres_parent_links" t3
      JOIN "genres" t4 ON t4.id = t3."inv_genre_id"
      WHERE t3."genre_id" = t2.id
      ORDER BY t4."name" DESC
      LIMIT 1
    ) DESC,
    t2."rank",
    t2.id LIMIT $1::int8
  ) t1
) a;
-- 1: 25
