SELECT convert_to(CASE WHEN octet_length(a.json) > 33554432 THEN ('octavo: too large ' || octet_length(a.json))::int8::text ELSE a.json END, 'UTF8'), (
  SELECT CASE
  WHEN (SELECT max(id) FROM "books") < 1000
  THEN (SELECT count(*) FROM "books" t6)
  ELSE (
    SELECT CASE
    WHEN min(k.known) = 1
    AND (
      SELECT count(*)
      FROM pg_catalog.pg_trigger g
      WHERE g.tgrelid = '"books"'::regclass
      AND g.tgname IN (
        'octavo_totals_insert_both',
        'octavo_totals_update_both',
        'octavo_totals_delete_both',
        'octavo_totals_truncate_both'
      )
      AND g.tgenabled = 'A'
    ) = 4
    THEN coalesce(sum(k.total), 0)::int8
    ELSE (SELECT count(*) FROM "books" t6) END
    FROM octavo_totals k
    WHERE k.relation = '"books"'::regclass
  ) END
)
FROM (
  SELECT concat('[', coalesce(string_agg(t1.json, ','), ''), ']') AS json
  FROM (
    SELECT concat(
      '{"id":',
      t2.id,
      ',"attributes":{"locale":',
      coalesce(to_json(t2."locale")::text, 'null'),
      '},"meta":{"availableLocales":[',
      (
        SELECT string_agg(t5.json, ',')
        FROM (
          SELECT coalesce(to_json(t4."locale")::text, 'null') AS json
          FROM "books_localizations_links" t3
          JOIN "books" t4 ON t4.id = t3."inv_book_id"
          WHERE t3."book_id" = t2.id
          ORDER BY t3."book_order",
          t3.id
        ) t5
      ),
      ']}}'
    ) AS json
    FROM "books" t2
    ORDER BY t2.id
    LIMIT $1::int8
  ) t1
) a;
-- 1: 3
