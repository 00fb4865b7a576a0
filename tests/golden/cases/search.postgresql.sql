WITH t2 AS MATERIALIZED (
  SELECT t3.id
  FROM "genres" t3
  WHERE (
    t3."published_at" IS NOT NULL
    AND (
      position(lower($1::text) in lower(t3."name")) > 0
      OR position(lower($1::text) in lower(t3."rank"::text)) > 0
      OR position(lower($1::text) in lower(t3.id::text)) > 0
    )
  )
) SELECT convert_to(CASE
WHEN octet_length(a.json) > 33554432
THEN ('octavo: too large ' || octet_length(a.json))::int8::text
ELSE a.json END, 'UTF8'), (SELECT count(*)
FROM t2)
FROM (
  SELECT concat('[', coalesce(string_agg(t1.json, ','), ''), ']') AS json
  FROM (
    SELECT concat(
      '{"id":',
      t6.id,
      ',"attributes":{"name":',
      coalesce(to_json(t6."name")::text, 'null'),
      '},"meta":{}}'
    ) AS json
    FROM (SELECT * FROM (SELECT * FROM t2 ORDER BY id LIMIT 100) t5 LIMIT $2::int8) t4
    JOIN "genres" t6 ON t6.id = t4.id
    ORDER BY t4.id
    LIMIT $2::int8
  ) t1
) a;
-- 1: '3'
-- 2: 25
