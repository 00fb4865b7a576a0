SELECT convert_to(
  CASE
  WHEN octet_length(a.json) > 33554432
  THEN ('octavo: too large ' || octet_length(a.json))::int8::text
  ELSE a.json END,
  'UTF8'
)
FROM (
  SELECT concat('[', coalesce(string_agg(t1.json, ','), ''), ']') AS json
  FROM (
    SELECT concat(
      '{"id":',
      t2.id,
      ',"attributes":{"name":',
      coalesce(to_json(t2."name")::text, 'null'),
      ',"rank":',
      coalesce(t2."rank"::text, 'null'),
      ',"createdAt":',
      coalesce('"' || to_char(t2."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null'),
      ',"updatedAt":',
      coalesce('"' || to_char(t2."updated_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null'),
      ',"publishedAt":',
      coalesce('"' || to_char(t2."published_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null'),
      '},"meta":{}}'
    ) AS json
    FROM "genres" t2
    WHERE t2."published_at" IS NOT NULL
    ORDER BY t2.id
    LIMIT $1::int8
  ) t1
) a;
-- 1: 1
