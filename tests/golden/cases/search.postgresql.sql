SELECT convert_to(CASE WHEN octet_length(a.json) > 33554432 THEN ('octavo: too large ' || octet_length(a.json))::int8::text ELSE a.json END, 'UTF8'), (
  SELECT count(*)
  FROM "genres" t3
  WHERE (
    t3."published_at" IS NOT NULL
    AND (
      position(lower($1::text) in lower(t3."name")) > 0
      OR position(lower($1::text) in lower(t3."rank"::text)) > 0
      OR position(lower($1::text) in lower(t3.id::text)) > 0
    )
  )
)
FROM (
  SELECT concat('[', coalesce(string_agg(t1.json, ','), ''), ']') AS json
  FROM (
    SELECT concat(
      '{"id":',
      t2.id,
      ',"attributes":{"name":',
      coalesce(to_json(t2."name")::text, 'null'),
      '},"meta":{}}'
    ) AS json
    FROM "genres" t2
    WHERE (
      t2."published_at" IS NOT NULL
      AND (
        position(lower($1::text) in lower(t2."name")) > 0
        OR position(lower($1::text) in lower(t2."rank"::text)) > 0
        OR position(lower($1::text) in lower(t2.id::text)) > 0
      )
    )
    ORDER BY t2.id
    LIMIT $2::int8
  ) t1
) a;
-- 1: '3'
-- 2: 25
