SELECT convert_to(CASE WHEN octet_length(a.json) > 33554432 THEN ('octavo: too large ' || octet_length(a.json))::int8::text ELSE a.json END, 'UTF8'), (
  SELECT CASE
  WHEN (SELECT max(id) FROM "authors") < 1000
  THEN (SELECT count(*) FROM "authors" t3)
  ELSE (
    SELECT CASE
    WHEN min(k.known) = 1
    AND (
      SELECT count(*)
      FROM pg_catalog.pg_trigger g
      WHERE g.tgrelid = '"authors"'::regclass
      AND g.tgname IN (
        'octavo_totals_insert_plain',
        'octavo_totals_update_plain',
        'octavo_totals_delete_plain',
        'octavo_totals_truncate_plain'
      )
      AND g.tgenabled = 'A'
    ) = 4
    THEN coalesce(sum(k.total), 0)::int8
    ELSE (SELECT count(*) FROM "authors" t3) END
    FROM octavo_totals k
    WHERE k.relation = '"authors"'::regclass
  ) END
)
FROM (
  SELECT concat('[', coalesce(string_agg(t1.json, ','), ''), ']') AS json
  FROM (
    SELECT concat(
      '{"id":',
      t2.id,
      ',"attributes":{"name":',
      coalesce(to_json(t2."name")::text, 'null'),
      ',"born":',
      coalesce(to_json(t2."born")::text, 'null'),
      ',"rating":',
      CASE WHEN t2."rating" - t2."rating" = 0 THEN t2."rating"::float8::text ELSE 'null' END,
      ',"createdAt":',
      coalesce('"' || to_char(t2."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null'),
      ',"updatedAt":',
      coalesce('"' || to_char(t2."updated_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null'),
      '},"meta":{}}'
    ) AS json
    FROM "authors" t2
    ORDER BY t2.id
    LIMIT $1::int8
  ) t1
) a;
-- 1: 2
