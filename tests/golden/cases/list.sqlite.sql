SELECT CAST(concat('[', coalesce(group_concat(t1.json, ','), ''), ']') AS BLOB), (
  SELECT CASE
  WHEN (SELECT max(id) FROM "authors") < 1000
  THEN (SELECT count(*) FROM "authors" t3)
  ELSE (
    SELECT CASE
    WHEN (
      SELECT schema_version FROM octavo_totals_known WHERE relation = 'authors'
    ) = (SELECT schema_version FROM pragma_schema_version)
    THEN (SELECT coalesce(sum(k.total), 0) FROM octavo_totals k WHERE k.relation = 'authors')
    ELSE (SELECT count(*) FROM "authors" t3) END
  ) END
)
FROM (
  SELECT concat(
    '{"id":',
    t2.id,
    ',"attributes":{"name":',
    json_quote(t2."name"),
    ',"born":',
    json_quote(t2."born"),
    ',"rating":',
    CASE
    WHEN t2."rating" = CAST(t2."rating" AS INTEGER)
    THEN CAST(CAST(t2."rating" AS INTEGER) AS TEXT)
    WHEN t2."rating" - t2."rating" = 0
    THEN json_quote(t2."rating")
    ELSE 'null' END,
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
    '},"meta":{}}'
  ) AS json
  FROM "authors" t2
  ORDER BY t2.id
  LIMIT ?1
) t1;
-- 1: 2
