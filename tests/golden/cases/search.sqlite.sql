WITH t2 AS MATERIALIZED (
  SELECT t3.id
  FROM "genres" t3
  WHERE (
    t3."published_at" IS NOT NULL
    AND (
      CASE
      WHEN length(?1) < 12000
      THEN t3."name" LIKE '%' || replace(
        replace(replace(?1, '\', '\\'), '%', '\%'),
        '_',
        '\_'
      ) || '%' ESCAPE '\'
      ELSE instr(lower(t3."name"), lower(?1)) > 0 END
      OR CASE
      WHEN length(?1) < 12000
      THEN t3."rank" LIKE '%' || replace(
        replace(replace(?1, '\', '\\'), '%', '\%'),
        '_',
        '\_'
      ) || '%' ESCAPE '\'
      ELSE instr(lower(t3."rank"), lower(?1)) > 0 END
      OR CASE
      WHEN length(?1) < 12000
      THEN t3.id LIKE '%' || replace(
        replace(replace(?1, '\', '\\'), '%', '\%'),
        '_',
        '\_'
      ) || '%' ESCAPE '\'
      ELSE instr(lower(t3.id), lower(?1)) > 0 END
    )
  )
) SELECT CAST(concat('[', coalesce(group_concat(t1.json, ','), ''), ']') AS BLOB), (SELECT count(*)
FROM t2)
FROM (
  SELECT concat(
    '{"id":',
    t5.id,
    ',"attributes":{"name":',
    json_quote(t5."name"),
    '},"meta":{}}'
  ) AS json
  FROM (SELECT * FROM t2 ORDER BY id LIMIT ?2) t4
  JOIN "genres" t5 ON t5.id = t4.id
  ORDER BY t4.id
  LIMIT ?2
) t1;
-- 1: '3'
-- 2: 25
