SELECT CAST(concat('[', coalesce(group_concat(t1.json, ','), ''), ']') AS BLOB)
FROM (
  SELECT concat(
    '{"id":',
    t2.id,
    ',"attributes":{"name":',
    json_quote(t2."name"),
    ',"rank":',
    json_quote(t2."rank"),
    ',"createdAt":',
    coalesce(
      '"' || replace(datetime(t2."created_at" / 1000.0, 'unixepoch', 'subsec'), ' ', 'T') || 'Z"',
      'null'
    ),
    ',"updatedAt":',
    coalesce(
      '"' || replace(datetime(t2."updated_at" / 1000.0, 'unixepoch', 'subsec'), ' ', 'T') || 'Z"',
      'null'
    ),
    ',"publishedAt":',
    coalesce(
      '"' || replace(datetime(t2."published_at" / 1000.0, 'unixepoch', 'subsec'), ' ', 'T') || 'Z"',
      'null'
    ),
    '},"meta":{}}'
  ) AS json
  FROM "genres" t2
  WHERE t2."published_at" IS NOT NULL
  ORDER BY t2.id
  LIMIT ?1
) t1;
-- 1: 1
