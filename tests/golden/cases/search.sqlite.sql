SELECT CAST(concat('[', coalesce(group_concat(t1.json, ','), ''), ']') AS BLOB), (
  SELECT count(*)
  FROM "genres" t3
  WHERE (
    t3."published_at" IS NOT NULL
    AND (
      instr(lower(t3."name"), lower(?1)) > 0
      OR instr(lower(t3."rank"), lower(?1)) > 0
      OR instr(lower(t3.id), lower(?1)) > 0
    )
  )
)
FROM (
  SELECT concat(
    '{"id":',
    t2.id,
    ',"attributes":{"name":',
    json_quote(t2."name"),
    '},"meta":{}}'
  ) AS json
  FROM "genres" t2
  WHERE (
    t2."published_at" IS NOT NULL
    AND (
      instr(lower(t2."name"), lower(?1)) > 0
      OR instr(lower(t2."rank"), lower(?1)) > 0
      OR instr(lower(t2.id), lower(?1)) > 0
    )
  )
  ORDER BY t2.id
  LIMIT ?2
) t1;
-- 1: '3'
-- 2: 25
