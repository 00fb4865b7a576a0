SELECT convert_to(CASE WHEN octet_length(a.json) > 33554432 THEN ('octavo: too large ' || octet_length(a.json))::int8::text ELSE a.json END, 'UTF8'), (
  SELECT CASE
  WHEN (SELECT max(id) FROM "authors") < 1000
  THEN (SELECT count(*) FROM "authors" t6)
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
    ELSE (SELECT count(*) FROM "authors" t6) END
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
      ',"books":{"data":[',
      (
        SELECT string_agg(t5.json, ',')
        FROM (
          SELECT concat(
            '{"id":',
            t4.id,
            ',"attributes":{"title":',
            coalesce(to_json(t4."title")::text, 'null'),
            ',"pages":',
            coalesce(t4."pages"::text, 'null'),
            '}}'
          ) AS json
          FROM "books_author_links" t3
          JOIN "books" t4 ON t4.id = t3."book_id"
          WHERE t3."author_id" = t2.id
          AND (t4."pages" > $2::int8 AND t4."published_at" IS NOT NULL)
          ORDER BY t4."pages" DESC,
          t3."book_order",
          t3.id LIMIT $3::int8
        ) t5
      ),
      ']}},"meta":{}}'
    ) AS json
    FROM "authors" t2
    ORDER BY t2.id
    LIMIT $1::int8
  ) t1
) a;
-- 1: 2
-- 2: 50
-- 3: 1
